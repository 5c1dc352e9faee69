//! Confinement of an untrusted program: Landlock keeps it to its files and from the network, seccomp from other processes and the system.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use crate::exit::Stop;
use crate::text::shown;

/// The newest Landlock whose rights are asked for. An older kernel enforces those that it knows.
const NEWEST: ABI = ABI::V6;

/// Folders of the system that any program may read and run files of.
const SYSTEM: [&str; 9] = [
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt", "/proc", "/sys",
];

/// Devices that any program may read and write.
const DEVICES: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/shm",
];

/// System calls by which a program could reach other processes, the system or another set of rules.
const REFUSED: [i64; 37] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
];

/// Namespaces that `clone` could make.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Runs a command that can write below `writable`, and read there, below `readable` and what all programs read. Says on standard error what
/// the kernel of this system cannot enforce.
///
/// # Errors
/// A folder is not there, or the kernel refuses rules that it knows.
pub fn run(
    command: &mut Command,
    readable: &[PathBuf],
    writable: &[PathBuf],
) -> Result<io::Result<ExitStatus>, Stop> {
    // Rules hold for the thread that takes them and for the processes that it starts. This program stays free.
    thread::scope(|scope| {
        let confined = scope.spawn(|| {
            confine_files(readable, writable)?;
            confine_calls()?;
            Ok(command.status())
        });
        confined
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Returns the folder of a program, as the search path finds it, with links followed.
pub fn folder_of(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    let mut found = match path.components().count() {
        1 => {
            let folders = env::var_os("PATH")?;
            let mut files = env::split_paths(&folders).map(|folder| folder.join(path));
            files.find(|file| file.is_file())?
        }
        _ => path.to_owned(),
    };
    found = fs::canonicalize(found).ok()?;
    found.pop();
    Some(found)
}

fn confine_files(readable: &[PathBuf], writable: &[PathBuf]) -> Result<(), Stop> {
    let cannot = |error: RulesetError| Stop::setup(format!("--untrusted: Landlock: {error}"));
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .map_err(cannot)?;
    let read = AccessFs::from_read(NEWEST);
    let of_file = AccessFs::from_file(NEWEST);
    let system = SYSTEM.iter().map(|path| (Path::new(path), read));
    let devices = DEVICES
        .iter()
        .map(|path| (Path::new(path), AccessFs::from_all(NEWEST)));
    let readable = readable.iter().map(|path| (path.as_path(), read));
    for (path, rights) in system.chain(devices).chain(readable) {
        // Not every system has each of them.
        let Ok(place) = PathFd::new(path) else {
            continue;
        };
        let rights = if path.is_dir() {
            rights
        } else {
            rights & of_file
        };
        rules = rules
            .add_rule(PathBeneath::new(place, rights))
            .map_err(cannot)?;
    }
    for path in writable {
        let place = PathFd::new(path)
            .map_err(|error| Stop::setup(format!("--untrusted: {}: {error}", shown(path))))?;
        let rights = AccessFs::from_all(NEWEST);
        rules = rules
            .add_rule(PathBeneath::new(place, rights))
            .map_err(cannot)?;
    }
    let lacks = match rules.restrict_self().map_err(cannot)?.ruleset {
        RulesetStatus::FullyEnforced => return Ok(()),
        RulesetStatus::PartiallyEnforced => {
            "is older than version 6: some of files, network and signals are not confined"
        }
        RulesetStatus::NotEnforced => "is off: files and network are not confined",
    };
    eprintln!("deltanet-check hip: Landlock of this system's kernel {lacks}");
    Ok(())
}

fn confine_calls() -> Result<(), Stop> {
    let refused = REFUSED.map(|call| (call, Vec::new()));
    let family = (libc::AF_UNIX as u64, SeccompCmpOp::Ne);
    let namespace = |flag: i32| (flag as u64, SeccompCmpOp::MaskedEq(flag as u64));
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = refused.into_iter().collect();
    let conditional = [
        // Local sockets alone: neither the network nor what the kernel tells by sockets.
        (libc::SYS_socket, 0, vec![family]),
        (libc::SYS_clone, 0, NAMESPACES.map(namespace).to_vec()),
        // A terminal takes no input that the program makes.
        (libc::SYS_ioctl, 1, vec![(libc::TIOCSTI, SeccompCmpOp::Eq)]),
    ];
    for (call, argument, values) in conditional {
        let rules_of_call = values.into_iter().map(|(value, operator)| {
            let condition =
                SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
            SeccompRule::new(vec![condition])
        });
        let rules_of_call = rules_of_call.collect::<Result<_, _>>();
        rules.insert(call, rules_of_call.map_err(cannot_filter)?);
    }
    apply(rules, libc::EPERM)?;
    // Its flags are in memory, where a filter cannot read them. Programs then use `clone`.
    apply(
        BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
        libc::ENOSYS,
    )
}

/// Makes the calls that match the rules fail with an error number.
fn apply(rules: BTreeMap<i64, Vec<SeccompRule>>, error: i32) -> Result<(), Stop> {
    let Ok(architecture) = env::consts::ARCH.try_into() else {
        eprintln!("deltanet-check hip: no filter of system calls is known for this processor");
        return Ok(());
    };
    let refusal = SeccompAction::Errno(error.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(cannot_filter)?;
    match seccompiler::apply_filter(&program) {
        Ok(()) => {}
        Err(error) => eprintln!(
            "deltanet-check hip: this system's kernel takes no filter of system calls: {error}"
        ),
    }
    Ok(())
}

fn cannot_filter(error: seccompiler::BackendError) -> Stop {
    Stop::setup(format!("--untrusted: seccomp: {error}"))
}
