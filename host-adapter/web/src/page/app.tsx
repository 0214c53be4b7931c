/**
 * The page: a file is asked for, read and shown. Holds what is true of all of it: the theme, the file, help, what was said.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import example from "../../../../tests/fixtures/sessions/typescript.jsonl";
import { errorText } from "../../../pi/src/text.ts";
import { Help } from "./help.tsx";
import { useKeys } from "./keys.ts";
import { type Outline, outlineOf } from "./outline.ts";
import { type Notice, Reader } from "./reader.tsx";
import { go } from "./route.ts";
import { type Level, type Refused, Session, ToolComplaint, titleOf } from "./session.ts";
import { useTheme } from "./theme.ts";
import { Loading, Welcome } from "./welcome.tsx";

export type Phase =
  | { readonly at: "empty" }
  | { readonly at: "reading"; readonly file: string; readonly bytes: number; readonly size: number }
  | { readonly at: "refused"; readonly file: string; readonly refused: Refused }
  | { readonly at: "open"; readonly session: Session; readonly outline: Outline };

export function App() {
  const [phase, setPhase] = useState<Phase>({ at: "empty" });
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const [theme, nextTheme] = useTheme();
  const helpDialog = useRef<HTMLDialogElement>(null);
  const help = (): void => helpDialog.current?.showModal();
  /** The file that is wanted last: an answer about another one comes too late. */
  const wanted = useRef<File | undefined>(undefined);
  /** Whether the address is still that of a link which was followed here, and not of a session that was shown before. */
  const isLinked = useRef(true);

  const open = useCallback(async (file: File) => {
    wanted.current = file;
    const isWanted = (): boolean => wanted.current === file;
    const say = (level: Level, text: string): void => {
      if (isWanted()) setNotices((said) => [...said, { level, text }]);
    };
    const show = (next: Phase): void => {
      setPhase((before) => {
        if (before.at === "open") before.session.close();
        return next;
      });
    };
    setNotices([]);
    show({ at: "reading", file: file.name, bytes: 0, size: file.size });
    const progress = (bytes: number): void => {
      if (isWanted()) setPhase({ at: "reading", file: file.name, bytes, size: file.size });
    };
    const opened = await Session.open(file, progress, say);
    if (!(opened instanceof Session)) {
      if (isWanted()) show({ at: "refused", file: file.name, refused: opened });
      return;
    }
    const outline = await outlineOf(opened);
    if (!isWanted()) return opened.close();
    if (opened.opened.leftOut !== undefined) say("warning", `${file.name}: ${opened.opened.leftOut}.`);
    if (!isLinked.current) go({ at: "start" }, { replace: true });
    isLinked.current = false;
    show({ at: "open", session: opened, outline });
  }, []);

  const close = (): void => {
    wanted.current = undefined;
    if (phase.at === "open") phase.session.close();
    setNotices([]);
    setPhase({ at: "empty" });
    go({ at: "start" });
  };

  useComplaints((text) => setNotices((said) => [...said, { level: "error", text }]));
  const isDragged = useDrop(open);
  useKeys({ "?": help });
  useEffect(() => {
    document.title = phase.at === "open" ? `${titleOf(phase.session)} · Pi session` : "Pi session reader";
  }, [phase]);

  const openExample = (): void => void open(new File([example], "example.jsonl"));
  const tools = { theme, nextTheme, help };
  return (
    <>
      {phase.at === "open" ? (
        <Reader
          session={phase.session}
          outline={phase.outline}
          notices={notices}
          dismiss={(notice) => setNotices((said) => said.filter((other) => other !== notice))}
          close={close}
          open={open}
          tools={tools}
        />
      ) : phase.at === "reading" ? (
        <Loading file={phase.file} bytes={phase.bytes} size={phase.size} cancel={close} />
      ) : (
        <Welcome
          refused={phase.at === "refused" ? phase : undefined}
          isLinked={isLinked.current && location.hash.length > 1}
          open={open}
          openExample={openExample}
          tools={tools}
        />
      )}
      {isDragged && (
        <div class="dropping" role="status">
          <p>Drop the session file to read it</p>
        </div>
      )}
      <Help dialog={helpDialog} />
    </>
  );
}

/** Says what has gone wrong, where no part of the page has an answer to it. */
function useComplaints(say: (text: string) => void): void {
  useEffect(() => {
    const complain = (event: PromiseRejectionEvent): void => {
      // What a tool says is for people as it is. Anything else is a fault, and for the console as well.
      if (event.reason instanceof ToolComplaint) event.preventDefault();
      say(errorText(event.reason));
    };
    addEventListener("unhandledrejection", complain);
    return () => removeEventListener("unhandledrejection", complain);
  }, []);
}

/** Takes a file that is dropped anywhere. Says whether one is held over the page. */
function useDrop(open: (file: File) => void): boolean {
  const [isDragged, setDragged] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setDragged(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragged(false);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setDragged(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) open(file);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [open]);
  return isDragged;
}
