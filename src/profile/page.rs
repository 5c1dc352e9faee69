//! The HTML page of profiles: times, what they consist of, and a roofline of requested bytes. It needs no other file and no network.

mod pictures;

use std::collections::BTreeMap;
use std::io;

use askama::Template;

use super::launch::{LaunchProfile, SiteProfile};
use super::report::{ProfileReport, between, heading, lines, summary, time, together};
use super::trial::CaseProfile;
use crate::report::Frame;
use crate::text::{demangled, escaped};

#[derive(Template)]
#[template(path = "profile.html")]
struct Page {
    frame: Frame,
    failed: Vec<String>,
    largest: Vec<(&'static str, usize)>,
    /// The axis above all bars.
    axis: String,
    roofline: Option<String>,
    cases: Vec<CaseView>,
}

struct CaseView {
    id: String,
    shape: String,
    largest: &'static str,
    words: String,
    time: String,
    between: String,
    bar: String,
    summary: String,
    open: bool,
    launches: Vec<LaunchView>,
}

struct LaunchView {
    heading: String,
    picture: String,
    roofline: Option<String>,
    lines: Vec<(&'static str, String)>,
    sites: Vec<SiteView>,
}

struct SiteView {
    address: String,
    text: String,
    source: String,
    executed: u64,
    lines: u64,
    lines_ideal: u64,
    lds: u64,
    lds_ideal: u64,
    stride: String,
}

/// Renders the page of some profiles. `facts` describe the run: names and values.
///
/// # Errors
/// The page's template cannot be rendered.
pub fn page(report: &ProfileReport, facts: Vec<(&'static str, String)>) -> io::Result<String> {
    let profiles = &report.profiles[..];
    let mut largest: BTreeMap<&'static str, usize> = BTreeMap::new();
    for profiled in profiles {
        *largest.entry(largest_term(profiled)).or_default() += 1;
    }
    let count = profiles.len();
    let unfinished = report.unfinished();
    let state = format!(
        "{}{}",
        unfinished.map_or_else(String::new, |done| format!("not complete: {done}; ")),
        report.assumed()
    );
    let badge = format!("{count} case{}", if count == 1 { "" } else { "s" });
    let class = match report.complete && report.failed.is_empty() {
        true => "",
        false => "fail",
    };
    let scale = pictures::scale(profiles);
    let all = profiles.iter().flat_map(|profiled| &profiled.launches);
    let page = Page {
        frame: Frame::new("deltanet-check profile", (class, badge), state, facts),
        failed: report
            .failed
            .iter()
            .map(|one| escaped(&one.message))
            .collect(),
        largest: largest.into_iter().collect(),
        axis: pictures::axis(scale),
        roofline: pictures::roofline(report.clock_mhz, &all.collect::<Vec<_>>()),
        cases: profiles
            .iter()
            .map(|profiled| case(report.clock_mhz, scale, profiled, count))
            .collect(),
    };
    let mut text = page.render().map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

/// Returns the largest term of the longest launch.
fn largest_term(profiled: &CaseProfile) -> &'static str {
    let launches = profiled.launches.iter();
    let longest = launches.max_by(|a, b| a.model.seconds.total_cmp(&b.model.seconds));
    longest.map_or("none", |launch| launch.model.largest)
}

fn case(clock: f64, scale: [f64; 2], profiled: &CaseProfile, count: usize) -> CaseView {
    let alone = count == 1 && profiled.launches.len() == 1;
    let shape = profiled.shape.as_deref().map_or_else(String::new, escaped);
    let id = escaped(&profiled.id);
    let kernels = profiled
        .launches
        .iter()
        .map(|launch| escaped(&demangled(&launch.kernel)));
    let mut kernels: Vec<String> = kernels.collect();
    kernels.dedup();
    CaseView {
        largest: largest_term(profiled),
        words: format!("{id} {shape} {}", kernels.join(" ")).to_lowercase(),
        time: time(profiled.seconds),
        between: between(profiled.between),
        bar: pictures::bar(scale, profiled.between, profiled.seconds),
        summary: summary(profiled),
        open: count <= 3,
        launches: together(&profiled.launches)
            .into_iter()
            .map(|(one, times)| launch(clock, one, times, alone))
            .collect(),
        id,
        shape,
    }
}

/// Makes the view of a launch. The only launch of a page has its roofline at the top of the page.
fn launch(clock: f64, launch: &LaunchProfile, times: usize, alone: bool) -> LaunchView {
    let roofline = || pictures::roofline(clock, &[launch]);
    let told = lines(launch).into_iter();
    LaunchView {
        heading: escaped(&heading(launch, times)),
        picture: pictures::terms(launch),
        roofline: (!alone).then(roofline).flatten(),
        lines: told.map(|(label, text)| (label, escaped(&text))).collect(),
        sites: launch.memory_instructions.iter().map(site).collect(),
    }
}

fn site(site: &SiteProfile) -> SiteView {
    SiteView {
        address: format!("{:#x}", site.address),
        text: site.text.clone(),
        source: site.source.as_deref().map_or_else(String::new, escaped),
        executed: site.executed,
        lines: site.lines,
        lines_ideal: site.lines_ideal,
        lds: site.lds_cycles,
        lds_ideal: site.lds_cycles_ideal,
        stride: site
            .stride
            .map_or_else(String::new, |stride| stride.to_string()),
    }
}
