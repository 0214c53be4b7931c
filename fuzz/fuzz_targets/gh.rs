#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| pi_capsule_fuzz::tell("gh", input));
