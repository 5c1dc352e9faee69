//! Tests of compiled kernels: by two compilers, optimised or not, on one thread or many.

use crate::device::{Arg, Device};
use gfx906::machine::Limits;

const DELTANET: &[u8] = include_bytes!("../../../../kernels/built/deltanet.co");

fn inputs(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i as f32 - n as f32 / 2.0) / 37.0).collect()
}

#[test]
fn sigmoid_comes_within_two_ulp_of_the_exact_value_and_stops_at_n() {
    let device = Device::new(DELTANET);
    let n = 1000;
    let x = inputs(n);
    let (a, b) = (
        device.floats("in", &x),
        device.floats("out", &vec![7.0; 1024]),
    );
    let args = [Arg::Pointer(a), Arg::Pointer(b), Arg::Int(n as i32)];
    let counters = device
        .launch(
            "kernel_sigmoid",
            [4, 1, 1],
            [256, 1, 1],
            &args,
            Limits::default(),
            0,
        )
        .expect("it runs");
    assert_eq!((counters.work_groups, counters.waves), (4, 16));
    let out = device.read(b, 1024);
    for (i, (&x, &got)) in x.iter().zip(&out).enumerate() {
        let want = 1.0 / (1.0 + (-f64::from(x)).exp());
        assert!(
            (f64::from(got) - want).abs() <= want * 2.0 * f64::from(f32::EPSILON),
            "element {i}: {got} for {want}"
        );
    }
    assert!(
        out[n..].iter().all(|&x| x == 7.0),
        "elements behind n are not written"
    );
}

#[test]
fn two_dimensional_ids_and_lds_make_a_gemm_equal_to_the_naive_one() {
    let device = Device::new(DELTANET);
    let (m, n, k) = (33, 47, 50);
    let a = device.floats("A", &inputs(m * k));
    let b = device.floats("B", &inputs(n * k));
    let run = |kernel: &str, threads| {
        let c = device.floats("C", &vec![0.0; m * n]);
        let mut args = vec![Arg::Pointer(a), Arg::Pointer(b), Arg::Pointer(c)];
        args.extend([m, n, k].map(|x| Arg::Int(x as i32)));
        device
            .launch(
                kernel,
                [3, 3, 1],
                [16, 16, 1],
                &args,
                Limits::default(),
                threads,
            )
            .expect("it runs");
        device.read(c, m * n)
    };
    let naive = run("kernel_gemm_nt_naive", 1);
    let at = |row: usize, col: usize| {
        (0..k).fold(0.0f32, |sum, s| {
            inputs(m * k)[row * k + s].mul_add(inputs(n * k)[col * k + s], sum)
        })
    };
    for (row, col) in [(0, 0), (32, 46), (16, 15), (5, 40)] {
        assert_eq!(naive[row * n + col], at(row, col), "({row}, {col})");
    }
    assert_eq!(naive, run("kernel_gemm_nt_tiled", 1));
    assert_eq!(
        naive,
        run("kernel_gemm_nt_naive", 4),
        "whatever the number of threads"
    );
}

#[test]
fn three_dimensional_blocks_number_their_work_items_x_first() {
    let device = Device::new(DELTANET);
    let out = device.floats("out", &[9.0; 64]);
    // The kernel does not use z: the two layers of the block write the same values.
    let args = [Arg::Pointer(out), Arg::Int(8)];
    device
        .launch(
            "kernel_eye",
            [1, 1, 1],
            [8, 8, 2],
            &args,
            Limits::default(),
            1,
        )
        .expect("it runs");
    let eye: Vec<f32> = (0..64)
        .map(|i| if i / 8 == i % 8 { 1.0 } else { 0.0 })
        .collect();
    assert_eq!(device.read(out, 64), eye);
}
