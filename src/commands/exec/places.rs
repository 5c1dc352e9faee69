//! The files that a run writes, none of which may be a file that it reads.

use std::path::Path;

use super::launch::LaunchFile;
use super::variables::VariableValue;
use crate::args::ExecArgs;
use crate::files;
use crate::text::shown;

/// Nothing that is written takes the place of something that is read, or of something else that is written.
pub(super) fn check(args: &ExecArgs, file: &LaunchFile) -> anyhow::Result<()> {
    let mut taken = vec![
        (files::identity(&args.file), "the launch file".to_owned()),
        (
            files::identity(&file.code_object),
            "the code object".to_owned(),
        ),
    ];
    for buffer in &file.buffers {
        if let Some(file) = buffer.source.file() {
            taken.push((
                files::identity(&file.path),
                format!("the input of buffer `{}`", buffer.name),
            ));
        }
    }
    for one in &file.expect {
        let name = &file.buffers[one.buffer].name;
        taken.push((
            files::identity(&one.file.path),
            format!("what is expected of buffer `{name}`"),
        ));
    }
    for variable in &file.variables {
        if let VariableValue::File(file) = &variable.value {
            taken.push((
                files::identity(&file.path),
                format!("the value of variable `{}`", variable.name()),
            ));
        }
    }
    if let Some(triton) = &file.triton {
        taken.push((files::identity(triton.path()), "Triton's file".to_owned()));
    }
    let mut written: Vec<(&Path, String)> = Vec::new();
    if let Some(path) = args
        .trace
        .trace
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    {
        written.push((path, "`--trace`".to_owned()));
    }
    for buffer in &file.buffers {
        let save = buffer.save.as_deref();
        written.extend(save.map(|path| (path, format!("buffer `{}`", buffer.name))));
    }
    for (path, who) in written {
        // Devices and pipes keep nothing.
        if path.exists() && !path.is_file() && !path.is_dir() {
            continue;
        }
        let place = files::identity(path);
        if let Some((_, what)) = taken.iter().find(|(other, _)| *other == place) {
            anyhow::bail!(
                "{who}: {} is {what}: name another file to write to",
                shown(path)
            );
        }
        taken.push((place, format!("where {who} is written")));
    }
    Ok(())
}
