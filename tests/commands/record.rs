//! Launches that the HIP runtime records: `exec` computes the same bits of each.
//!
//! The program is a test of this file too, which runs in a process of its own with the variables set.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gfx906_hip::api::*;
use gfx906_hip::boundary::{In, Out, Text};
use serde_json::{Value, json};

use crate::{DATA, KERNELS, run, scratch};

/// Calls an exported function that must succeed.
macro_rules! call {
    ($function:ident($($argument:expr),*)) => {
        // SAFETY: pointers in the arguments are null, or to locals that are there.
        assert_eq!(unsafe { $function($($argument),*) }, 0, stringify!($function))
    };
}

fn out<T: Copy>(place: &mut T) -> Out<T> {
    // SAFETY: good for writes; every use is within the caller's statement.
    unsafe { Out::at(place) }
}

fn address<T>(of: &[T]) -> u64 {
    of.as_ptr().expose_provenance() as u64
}

fn upload(data: &[f32]) -> u64 {
    let mut device = 0;
    call!(hipMalloc(out(&mut device), size_of_val(data)));
    call!(hipMemcpy(device, address(data), size_of_val(data), 1));
    device
}

fn module(code: &[u8]) -> u64 {
    let mut module = 0;
    call!(hipModuleLoadData(out(&mut module), address(code)));
    module
}

/// Launches a kernel on one work-group of `items` work-items. Returns the runtime's error code.
fn launch(module: u64, name: &'static CStr, items: u32, lds: u32, arguments: &[u64]) -> u32 {
    let mut function = 0;
    call!(hipModuleGetFunction(
        out(&mut function),
        module,
        Text::from_static(name)
    ));
    let places: Vec<u64> = arguments
        .iter()
        .map(|argument| address(std::slice::from_ref(argument)))
        .collect();
    // SAFETY: as many pointers as arguments, each to eight bytes that are there.
    let parameters = unsafe { In::at(places.as_ptr()) };
    // SAFETY: the pointers are null or point to live values.
    unsafe {
        hipModuleLaunchKernel(
            function,
            1,
            1,
            1,
            items,
            1,
            1,
            lds,
            0,
            parameters,
            In::null(),
        )
    }
}

fn bits(value: f32) -> u64 {
    value.to_bits().into()
}

/// Pointers into the middle, a structure by value, dynamic LDS, a variable that the host sets, and a kernel that faults.
#[test]
#[ignore = "the program that is recorded"]
fn program() {
    let (kernels, small) = (
        std::fs::read(KERNELS).expect("there"),
        std::fs::read(format!("{DATA}/v5.co")).expect("there"),
    );
    let (kernels, small) = (module(&kernels), module(&small));
    let ramp: Vec<f32> = (0..256).map(|i| i as f32 - 7.5).collect();
    let (a, b) = (upload(&ramp), upload(&ramp));
    assert_eq!(
        launch(
            kernels,
            c"kernel_scale",
            64,
            0,
            &[a + 64, b + 128, 50, bits(3.0)]
        ),
        0
    );
    // The launch works in place on the results of the launch before it.
    assert_eq!(
        launch(kernels, c"kernel_scale", 64, 0, &[b, b, 64, bits(-0.5)]),
        0
    );
    assert_eq!(
        launch(kernels, c"kernel_mul", 64, 0, &[a, b, a + 512, 64]),
        0
    );

    let (mut table, mut size) = (0, 0usize);
    call!(hipModuleGetGlobal(
        out(&mut table),
        out(&mut size),
        small,
        Text::from_static(c"table")
    ));
    assert_eq!(size, 256);
    call!(hipMemcpy(table, address(&ramp), size, 1));
    let pair = bits(2.0) | 100 << 32;
    assert_eq!(
        launch(
            small,
            c"axpy",
            128,
            0,
            &[a, b, bits(0.25), pair, 1f64.to_bits(), 3]
        ),
        0
    );
    assert_eq!(launch(small, c"reduce", 256, 1024, &[a, b]), 0);
    assert_eq!(launch(small, c"pointee", 64, 0, &[b]), 0);
    // The kernel faults: hipErrorLaunchFailure comes with the next call that waits.
    assert_eq!(
        launch(
            kernels,
            c"kernel_scale",
            64,
            0,
            &[a + 1024 - 16, b, 64, bits(1.0)]
        ),
        0
    );
    // SAFETY: it takes no arguments.
    assert_eq!(unsafe { hipDeviceSynchronize() }, 719);
}

/// A program whose tensors lie in one allocation, far apart.
#[test]
#[ignore = "the program that is recorded"]
fn pooling_program() {
    let kernels = module(&std::fs::read(KERNELS).expect("there"));
    let ramp: Vec<f32> = (0..POOL / 4).map(|i| (i % 1000) as f32 + 1.0).collect();
    let pool = upload(&ramp);
    let arguments = [pool + X, pool + OUT, COUNT, bits(3.0)];
    assert_eq!(launch(kernels, c"kernel_scale", 1000, 0, &arguments), 0);
    call!(hipDeviceSynchronize());
}

/// Bytes of the pool, places of its tensors, and their elements.
const POOL: usize = 8 << 20;
const X: u64 = 1_000_192;
const OUT: u64 = 5_000_192;
const COUNT: u64 = 1000;

/// Runs the program with these variables.
fn record(variables: &[(&str, &str)]) -> Output {
    record_program("record::program", variables)
}

fn record_program(program_name: &str, variables: &[(&str, &str)]) -> Output {
    let mut program = Command::new(std::env::current_exe().expect("this test"));
    program.args([program_name, "--exact", "--ignored", "--nocapture"]);
    for name in [
        "GFX906_RECORD",
        "GFX906_RECORD_KERNELS",
        "GFX906_RECORD_BYTES",
    ] {
        program.env_remove(name);
    }
    let output = program
        .envs(variables.iter().copied())
        .output()
        .expect("it starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Returns the runtime's lines about recording, without the name of the directory.
fn said(output: &Output, directory: &Path) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text
        .lines()
        .filter(|line| line.contains("record") || line.contains("RECORD"));
    let directory = directory.to_str().expect("UTF-8");
    lines.map(|line| line.replace(directory, "DIR")).collect()
}

fn records(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory)
        .expect("there")
        .map(|entry| entry.expect("readable").path());
    let mut records: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    records.sort();
    records
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("UTF-8")
}

fn launch_file(record: &Path) -> Value {
    let text = std::fs::read(record.join("launch.json")).expect("written");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn every_record_replays_to_the_same_bits() {
    let here = scratch("record-all");
    let output = record(&[("GFX906_RECORD", here.to_str().expect("UTF-8"))]);
    assert_eq!(said(&output, &here), [""; 0]);
    let records = records(&here);
    let names: Vec<&str> = records.iter().map(|path| name(path)).collect();
    assert_eq!(
        names,
        [
            "000001-kernel_scale",
            "000002-kernel_scale",
            "000003-kernel_mul",
            "000004-axpy",
            "000005-reduce",
            "000006-pointee",
            "000007-kernel_scale"
        ]
    );
    let (fault, right) = records.split_last().expect("records");
    for record in right {
        let replay = run(record, &["exec", "launch.json"]);
        assert_eq!(
            (replay.code, replay.err.as_str()),
            (0, ""),
            "{}: {}",
            name(record),
            replay.out
        );
        assert!(replay.out.contains("as expected"), "{}", replay.out);
    }
    let replay = run(fault, &["exec", "launch.json"]);
    assert_eq!(
        (replay.code, replay.err.as_str()),
        (1, ""),
        "{}",
        replay.out
    );
    assert!(
        replay
            .out
            .contains("right behind the end of `alloc1` (1024 bytes"),
        "{}",
        replay.out
    );
    assert!(launch_file(fault)["expect"].is_null());

    let launch = launch_file(&records[0]);
    let code = launch["code_object"].as_str().expect("a file").to_owned();
    assert!(records[0].join(code).is_file());
    insta::assert_snapshot!(format!("{launch:#}"));
    // A structure is recorded by its bytes, and a variable with the value that the program wrote.
    let axpy = launch_file(&records[3]);
    assert_eq!(
        axpy["launches"][0]["args"][3],
        json!({"raw": "0000004064000000"})
    );
    assert!(
        axpy["variables"]["table"]["file"].is_string()
            && launch_file(&records[2])["variables"].is_null()
    );
    // A buffer that the launch does not change is recorded once.
    let unchanged = &launch_file(&records[4])["expect"]["alloc1"]["file"];
    assert_eq!(unchanged, "alloc1.before.bin");
}

/// A record in which one bit is otherwise fails: the replay does compare.
#[test]
fn a_record_of_other_bits_fails() {
    let here = scratch("record-bit");
    record(&[
        ("GFX906_RECORD", here.to_str().expect("UTF-8")),
        ("GFX906_RECORD_KERNELS", "kernel_mul"),
    ]);
    let [record] = records(&here).try_into().expect("one record");
    let after = record.join("alloc1.after.bin");
    let mut bytes = std::fs::read(&after).expect("written");
    bytes[600] ^= 1;
    std::fs::write(&after, bytes).expect("written");
    let replay = run(&record, &["exec", "launch.json"]);
    assert_eq!(replay.code, 1, "{}", replay.out);
    assert!(
        replay.out.contains("1/256 elements") && replay.out.contains("element 150"),
        "{}",
        replay.out
    );
}

/// Programs with pooling allocators have few allocations, of gigabytes. A record has the pages that the launch touched.
#[test]
fn a_record_has_what_the_launch_touched_and_no_more() {
    let here = scratch("record-pool");
    record_program(
        "record::pooling_program",
        &[("GFX906_RECORD", here.to_str().expect("UTF-8"))],
    );
    let [record] = records(&here).try_into().expect("one record");
    let mut launch = launch_file(&record);
    let buffer = &launch["buffers"]["alloc1"];
    let bytes = 4 * COUNT;
    assert_eq!(buffer["bytes"], json!(POOL));
    assert_eq!(buffer["read"], json!([[X, bytes]]));
    assert_eq!(buffer["written"], json!([[OUT, bytes]]));
    let pieces = buffer["pieces"].as_array().expect("pieces").clone();
    assert_eq!(pieces.len(), 2, "{pieces:?}");
    let before = std::fs::metadata(record.join("alloc1.before.bin")).expect("there");
    assert!(before.len() <= 4 * 4096, "{}", before.len());
    let replay = run(&record, &["exec", "launch.json"]);
    assert_eq!(
        (replay.code, replay.err.as_str()),
        (0, ""),
        "{}",
        replay.out
    );
    assert!(
        replay.out.contains("1/1 buffer as expected"),
        "{}",
        replay.out
    );

    // One bit of the second piece is otherwise.
    let after = record.join("alloc1.after.bin");
    let right = std::fs::read(&after).expect("there");
    let mut wrong = right.clone();
    let last = wrong.len() - 4096;
    wrong[last] ^= 1;
    std::fs::write(&after, wrong).expect("written");
    let replay = run(&record, &["exec", "launch.json"]);
    let place = format!("alloc1 + {}", pieces[1][0]);
    assert_eq!(replay.code, 1, "{}", replay.out);
    assert!(replay.out.contains(&place), "{}", replay.out);
    std::fs::write(&after, right).expect("written");

    // A binding knows the tensors by their bytes.
    let args = ["bind", "--from", "launch.json", "--contract", "scale"];
    let proposal = run(&record, &args);
    assert_eq!((proposal.code, proposal.err.as_str()), (0, ""));
    let argument = |text: &str| proposal.out.find(text).expect(&proposal.out);
    let places = ["\"in\", ", "\"out\", ", "\"i32 n\", "].map(argument);
    assert!(places.is_sorted(), "{}", proposal.out);

    // A kernel that writes between the pieces is found.
    launch["launches"][0]["args"][1] = json!(format!("$alloc1 + {}", OUT + 2_000_000));
    std::fs::write(record.join("stray.json"), launch.to_string()).expect("written");
    let replay = run(&record, &["exec", "stray.json"]);
    assert_eq!(replay.code, 1, "{}", replay.out);
    assert!(
        replay.out.contains("FAIL") && replay.out.contains("alloc1 + "),
        "{}",
        replay.out
    );
    // Pieces that the file does not have are refused.
    launch["buffers"]["alloc1"]["pieces"][1][1] = json!(4096 * 4);
    std::fs::write(record.join("short.json"), launch.to_string()).expect("written");
    let replay = run(&record, &["exec", "short.json"]);
    assert_eq!(replay.code, 3, "{}", replay.out);
    assert!(replay.err.contains("the pieces have "), "{}", replay.err);
}

#[test]
fn a_glob_chooses_kernels() {
    let here = scratch("record-glob");
    let record = |glob: &str| {
        let output = record(&[
            ("GFX906_RECORD", here.to_str().expect("UTF-8")),
            ("GFX906_RECORD_KERNELS", glob),
        ]);
        said(&output, &here)
    };
    assert_eq!(record("{axpy,*_mul}"), [""; 0]);
    // A directory of an earlier run is gone on with.
    assert_eq!(record("re*e"), [""; 0]);
    let names: Vec<String> = records(&here)
        .iter()
        .map(|path| name(path).to_owned())
        .collect();
    assert_eq!(names, ["000001-kernel_mul", "000001-reduce", "000002-axpy"]);
    let bad = record("a[");
    assert_eq!(
        bad,
        [
            "gfx906-hip: GFX906_RECORD_KERNELS=a[ is no glob (unclosed character class; missing ']'): nothing is recorded"
        ]
    );
    assert_eq!(records(&here).len(), 3);
}

#[test]
fn a_limit_is_kept_and_told_once() {
    let here = scratch("record-limit");
    let record = |bytes: &str| {
        let output = record(&[
            ("GFX906_RECORD", here.to_str().expect("UTF-8")),
            ("GFX906_RECORD_BYTES", bytes),
        ]);
        said(&output, &here)
    };
    let limit = 48 << 10;
    let told = record("48K");
    assert_eq!(
        told,
        [
            "gfx906-hip: recording: a launch of `kernel_scale` would exceed 49152 bytes in DIR: it and others like it are not recorded; \
          GFX906_RECORD_BYTES=N allows N"
        ]
    );
    // Those of the small code object fit.
    let names: Vec<String> = records(&here)
        .iter()
        .map(|path| name(path).to_owned())
        .collect();
    assert_eq!(names, ["000001-axpy", "000002-reduce", "000003-pointee"]);
    let size = |path: PathBuf| std::fs::metadata(path).expect("there").len();
    let files = |path: &Path| -> u64 {
        let entries = std::fs::read_dir(path)
            .expect("there")
            .map(|entry| entry.expect("readable").path());
        entries.filter(|path| path.is_file()).map(size).sum()
    };
    let written: u64 = records(&here)
        .iter()
        .map(|record| files(record))
        .sum::<u64>()
        + files(&here);
    assert!(written <= limit, "{written} bytes");
    assert_eq!(
        record("lots"),
        [
            "gfx906-hip: GFX906_RECORD_BYTES=lots is no number of bytes, as 500000 or 2G: nothing is recorded"
        ]
    );
}

/// A program goes on where nothing can be written, and hears of it once.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_told_once_and_breaks_nothing() {
    let here = scratch("record-nowhere");
    let file = here.join("file");
    std::fs::write(&file, "x").expect("written");
    let output = record(&[("GFX906_RECORD", file.to_str().expect("UTF-8"))]);
    assert_eq!(
        said(&output, &here),
        ["gfx906-hip: GFX906_RECORD=DIR/file: File exists (os error 17): nothing is recorded"]
    );
    let output = record(&[("GFX906_RECORD", "/proc/none/such")]);
    let told = said(&output, &here);
    assert!(
        told.len() == 1 && told[0].starts_with("gfx906-hip: GFX906_RECORD=/proc/none/such: "),
        "{told:?}"
    );
    // There, and no place for a file.
    let output = record(&[("GFX906_RECORD", "/proc/self")]);
    let told = said(&output, &here);
    assert!(
        told.len() == 1 && told[0].ends_with(": nothing more is recorded"),
        "{told:?}"
    );
}
