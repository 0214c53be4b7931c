#![no_main]

use pi_capsule_fuzz::{mutate, tell};

libfuzzer_sys::fuzz_target!(|input: &[u8]| tell("story", input));
libfuzzer_sys::fuzz_mutator!(|input: &mut [u8], size: usize, most: usize, seed: u32| { mutate(input, size, most, seed) });
