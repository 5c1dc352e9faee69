#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gfx906_fuzz::files::launch(bytes));
