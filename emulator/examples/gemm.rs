use gfx906::code_object::CodeObject;
use gfx906::machine::{Gpu, Launch, Limits};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let object = CodeObject::parse(&std::fs::read(path).unwrap()).unwrap();
    let gpu = Gpu::new();
    let module = gpu.load(&object).unwrap();
    let s = 256u32;
    let mut k = vec![];
    for n in ["a","b","c"] { let p = gpu.alloc(n, 4*256*256).unwrap(); k.extend(p.to_le_bytes()); }
    for _ in 0..3 { k.extend(s.to_le_bytes()); }
    for kernel in ["kernel_gemm_nt_naive", "kernel_gemm_nt_tiled", "kernel_gemm_nn_naive"] { for threads in [1,2] { for _ in 0..3 {
    let c = gpu.launch(&module, kernel, &Launch { grid: [16,16,1], block: [16,16,1], dynamic_lds: 0, kernarg: &k, limits: Limits::default(), threads });
    match c { Ok(c) => println!("{kernel} {threads} {:.3e} instr/s {:.2e} fma/s {:.4}s", c.instructions as f64/c.seconds, 256f64.powi(3)/c.seconds, c.seconds), Err(e) => { println!("{e}"); return; } }
    } } }
}
