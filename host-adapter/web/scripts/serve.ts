/**
 * Serves the built page to this machine and prints its address.
 *
 *     npm run serve [-- PORT]
 */
import { servePage } from "./server.ts";

const { address } = await servePage(Number(process.argv[2] ?? 0));
console.log(`The session reader is at ${address} (Ctrl-C ends it). Or open host-adapter/web/dist/index.html itself.`);
