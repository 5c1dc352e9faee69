use gfx906::code_object::CodeObject;
use gfx906::machine::{Gpu, Launch, Limits};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let object = CodeObject::parse(&std::fs::read(path).unwrap()).unwrap();
    let gpu = Gpu::new();
    let module = gpu.load(&object).unwrap();
    let n = 1000u32;
    let input = gpu.alloc("in", 4000).unwrap();
    let output = gpu.alloc("out", 4000).unwrap();
    let data: Vec<u8> = (0..n).flat_map(|i| ((i as f32 - 500.0) / 50.0).to_le_bytes()).collect();
    gpu.write(input, &data).unwrap();
    let mut k = vec![];
    k.extend(input.to_le_bytes()); k.extend(output.to_le_bytes()); k.extend(n.to_le_bytes());
    let c = gpu.launch(&module, "kernel_sigmoid", &Launch { grid: [4,1,1], block: [256,1,1], dynamic_lds: 0, kernarg: &k, limits: Limits::default(), threads: 1 });
    match c { Ok(c) => println!("{c:?}"), Err(e) => { println!("{e}"); return; } }
    let mut out = vec![0; 4000];
    gpu.read(output, &mut out).unwrap();
    let mut worst = 0f64;
    for i in 0..n as usize {
        let got = f32::from_le_bytes(out[4*i..4*i+4].try_into().unwrap());
        let x = (i as f32 - 500.0) / 50.0;
        let want = 1.0 / (1.0 + (-x as f64).exp());
        worst = worst.max((got as f64 - want).abs());
        if i % 250 == 0 { println!("{x} {got} {want}"); }
    }
    println!("worst {worst:e}");
}
