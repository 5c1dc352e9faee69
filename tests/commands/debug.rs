//! `debug`, under a client of the Debug Adapter Protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::{run, scratch};

/// Code objects with debug information, and their source.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// A client with its adapter.
struct Client {
    adapter: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    sequence: u64,
    /// Events that nobody has waited for yet.
    events: Vec<Value>,
}

impl Client {
    fn new(directory: &Path, args: &[&str]) -> Client {
        let mut adapter = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .arg("debug")
            .args(args)
            .current_dir(directory)
            .env(crate::ALLOW_PATH, "/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("an adapter");
        let input = adapter.stdin.take().expect("a pipe");
        let output = BufReader::new(adapter.stdout.take().expect("a pipe"));
        Client {
            adapter,
            input,
            output,
            sequence: 0,
            events: Vec::new(),
        }
    }

    /// Starts an adapter, and launches with these arguments.
    fn launched(directory: &Path, args: &[&str], arguments: Value) -> Client {
        let mut client = Client::new(directory, args);
        let capabilities = client.request("initialize", json!({ "adapterID": "deltanet" }));
        assert_eq!(capabilities["supportsStepBack"], true);
        client.request("launch", arguments);
        client.event("initialized");
        client
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(
                self.output.read_line(&mut line).expect("text"),
                0,
                "the adapter has ended"
            );
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(other) => panic!("{other:?}"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a message");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("the adapter reads");
        self.input.flush().expect("the adapter reads");
    }

    fn send(&mut self, command: &str, arguments: Value) {
        self.sequence += 1;
        let message = json!({ "seq": self.sequence, "type": "request", "command": command, "arguments": arguments });
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a request, and returns the body of its response or the message of its refusal.
    fn ask(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        self.send(command, arguments);
        loop {
            let message = self.read();
            if message["type"] == "event" {
                self.events.push(message);
                continue;
            }
            assert_eq!(message["type"], "response");
            assert_eq!(message["request_seq"], self.sequence);
            assert_eq!(message["command"], command);
            return match message["success"].as_bool() {
                Some(true) => Ok(message["body"].clone()),
                _ => Err(message["message"].as_str().expect("a message").to_owned()),
            };
        }
    }

    fn request(&mut self, command: &str, arguments: Value) -> Value {
        let answer = self.ask(command, arguments);
        answer.unwrap_or_else(|refusal| panic!("{command}: {refusal}"))
    }

    fn refusal(&mut self, command: &str, arguments: Value) -> String {
        self.ask(command, arguments).expect_err("a refusal")
    }

    /// Waits for an event, and returns its body.
    fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|event| event["event"] == name) {
                return self.events.remove(at)["body"].clone();
            }
            let message = self.read();
            assert_eq!(message["type"], "event", "{message}");
            self.events.push(message);
        }
    }

    /// Waits for a stop, and returns it.
    fn stop(&mut self) -> StopReport {
        let body = self.event("stopped");
        let reason = body["reason"].as_str().expect("a reason").to_owned();
        let thread = body["threadId"].clone();
        let threads = self.request("threads", json!({}));
        let threads = threads["threads"].as_array().expect("a list").clone();
        let named = threads.iter().find(|at| at["id"] == thread);
        let wave = named.expect("the thread")["name"].as_str().expect("a name");
        let stack = self.request("stackTrace", json!({ "threadId": thread }));
        let frame = stack["stackFrames"][0].clone();
        StopReport {
            reason,
            wave: wave.to_owned(),
            line: frame["line"].as_u64().expect("a line"),
            address: frame["instructionPointerReference"]
                .as_str()
                .expect("an address")
                .to_owned(),
            function: frame["name"].as_str().expect("a name").to_owned(),
            frame: frame["id"].clone(),
            thread,
            body,
            stack,
        }
    }

    /// Sends a request that lets the stopped thread go on, and returns the next stop.
    fn go(&mut self, command: &str, from: &StopReport) -> StopReport {
        self.request(command, json!({ "threadId": from.thread }));
        self.stop()
    }

    fn instruction(&mut self, command: &str, from: &StopReport) -> StopReport {
        let arguments = json!({ "threadId": from.thread, "granularity": "instruction" });
        self.request(command, arguments);
        self.stop()
    }

    /// Sets breakpoints at lines of the test's source, and returns what the adapter says of them.
    fn lines(&mut self, breakpoints: Value) -> Vec<Value> {
        let source = json!({ "path": "/elsewhere/debug.hip" });
        let answer = self.request(
            "setBreakpoints",
            json!({ "source": source, "breakpoints": breakpoints }),
        );
        answer["breakpoints"].as_array().expect("a list").clone()
    }

    fn value(&mut self, text: &str, at: &StopReport) -> String {
        let answer = self.request(
            "evaluate",
            json!({ "expression": text, "frameId": at.frame }),
        );
        answer["result"].as_str().expect("text").to_owned()
    }

    /// Returns the values of a scope by their names.
    fn scope(&mut self, name: &str, at: &StopReport) -> Vec<(String, String)> {
        let scopes = self.request("scopes", json!({ "frameId": at.frame }));
        let scopes = scopes["scopes"].as_array().expect("a list").clone();
        let scope = scopes.iter().find(|scope| scope["name"] == name);
        let reference = &scope.expect("the scope")["variablesReference"];
        self.parts(reference)
    }

    fn parts(&mut self, reference: &Value) -> Vec<(String, String)> {
        let answer = self.request("variables", json!({ "variablesReference": reference }));
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let variables = answer["variables"].as_array().expect("a list").iter();
        variables
            .map(|at| (text(&at["name"]), text(&at["value"])))
            .collect()
    }

    /// Reads to the end of the launches, disconnects, and returns the exit code and the output that the editor saw.
    fn finish(mut self) -> (i64, String) {
        let code = self.event("exited")["exitCode"].as_i64().expect("a number");
        self.event("terminated");
        let outputs = self
            .events
            .iter()
            .filter(|event| event["event"] == "output");
        let text = outputs.map(|event| event["body"]["output"].as_str().expect("text"));
        let text = text.collect();
        self.disconnect();
        (code, text)
    }

    fn disconnect(mut self) {
        self.request("disconnect", json!({}));
        let status = self.adapter.wait().expect("an end");
        assert_eq!(status.code(), Some(0));
    }
}

/// A stop of an adapter.
struct StopReport {
    reason: String,
    wave: String,
    line: u64,
    address: String,
    function: String,
    frame: Value,
    thread: Value,
    body: Value,
    stack: Value,
}

impl StopReport {
    fn is(&self, reason: &str, wave: &str, line: u64) -> bool {
        let found = (self.reason.as_str(), self.line);
        found == (reason, line) && self.wave.starts_with(&format!("group {wave}"))
    }
}

/// Writes a launch file: `smooth` on two groups, as often as `counts` has numbers.
fn smooth(name: &str, object: &str, counts: &[i32]) -> PathBuf {
    let here = scratch(name);
    let input: Vec<u8> = (0..128).flat_map(|n| (n as f32).to_le_bytes()).collect();
    std::fs::write(here.join("x.bin"), input).expect("written");
    let launches: Vec<Value> = counts
        .iter()
        .map(|count| json!({ "kernel": "smooth", "grid": [2, 1, 1], "block": [128, 1, 1], "args": ["$x", "$o", {"i32": count}] }))
        .collect();
    let launch = json!({
        "code_object": format!("{DATA}/{object}"),
        "buffers": { "x": {"file": "x.bin"}, "o": {"bytes": 1024, "fill": "zero", "shape": [2, 128]} },
        "launches": launches,
    });
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    here
}

#[test]
fn a_session_from_the_first_instruction_to_the_end() {
    let here = smooth("debug-session", "debug.co", &[3]);
    let mut client = Client::launched(&here, &["launch.json"], json!({ "stopOnEntry": true }));
    // Line 22 has no code of its own.
    let set = client.lines(json!([{ "line": 22 }, { "line": 29 }, { "line": 99 }]));
    assert_eq!(
        (&set[0]["verified"], &set[0]["line"]),
        (&json!(true), &json!(23))
    );
    assert_eq!(set[1]["line"], 29);
    assert_eq!(set[2]["verified"], false);
    assert_eq!(set[2]["message"], "no code at line 99 or behind it");
    client.lines(json!([{ "line": 29 }]));
    client.request("configurationDone", json!({}));

    let entry = client.stop();
    assert!(
        entry.is("entry", "(0,0,0) wave 0, items 0-63", 19),
        "{}",
        entry.wave
    );
    assert_eq!(entry.function, "smooth");
    let path = entry.stack["stackFrames"][0]["source"]["path"].as_str();
    let path = path.expect("a path").to_owned();
    assert_eq!(Path::new(&path), Path::new(DATA).join("debug.hip"));
    let source = client.request(
        "source",
        json!({ "source": { "path": path }, "sourceReference": 0 }),
    );
    assert!(
        source["content"]
            .as_str()
            .expect("text")
            .contains("void smooth(")
    );

    let at = client.go("continue", &entry);
    assert!(
        at.is("breakpoint", "(0,0,0) wave 0", 29),
        "{} {}",
        at.reason,
        at.line
    );
    assert!(client.value("v0[5]", &at).contains("(f32 23.0, "));
    assert_eq!(client.value("tile[127]", &at), "127.0");
    assert!(client.value("lds[508]", &at).contains("f32 127.0"));
    assert_eq!(client.value("o[0,5]", &at), "0.0");
    assert_eq!(client.value("args.in", &at).split(' ').nth(1), Some("($x)"));
    assert!(
        client
            .value("exec", &at)
            .starts_with("0xffffffffffffffff (64")
    );
    // The kernel has loaded the address that it writes to.
    assert!(client.value("s[4:5]", &at).ends_with(" ($o)"));
    assert!(client.value("v2[17]", &at).starts_with("0x"));
    let locals = client.scope("Locals", &at);
    let local = |name: &str| {
        let found = locals.iter().find(|(known, _)| known == name);
        found.expect("a local").1.as_str()
    };
    assert_eq!(local("out"), "no place in the debug information");
    assert_eq!(local("sum"), "no place in the debug information");
    assert_eq!(client.scope("Arguments", &at)[2], ("n".into(), "3".into()));
    assert_eq!(client.scope("SGPRs", &at).len(), 102);
    assert_eq!(client.scope("LDS", &at).len(), 128);
    let vgprs = client.scope("VGPRs", &at);
    assert_eq!(vgprs[0].0, "v0");
    let special: Vec<_> = client.scope("Special registers", &at);
    assert_eq!(special[0].0, "EXEC");
    let tensors = client.scope("Tensors", &at);
    assert!(tensors[0].1.starts_with("f32[2,128] at 0x"), "{tensors:?}");
    let o = client.request(
        "evaluate",
        json!({ "expression": "o", "frameId": at.frame }),
    );
    let rows = client.request(
        "variables",
        json!({ "variablesReference": o["variablesReference"], "start": 1, "count": 5 }),
    );
    assert_eq!(rows["variables"].as_array().map(Vec::len), Some(1));
    assert_eq!(rows["variables"][0]["evaluateName"], "o[1]");
    assert_eq!(rows["variables"][0]["indexedVariables"], 128);

    client.lines(json!([]));
    let at = client.go("next", &at);
    assert_eq!(client.value("result[5]", &at), "11.5");
    let locals = client.scope("Locals", &at);
    let result = locals.iter().find(|(name, _)| name == "result");
    assert!(
        result.is_some_and(|(_, text)| text.starts_with("4.0, 5.5, ")),
        "{locals:?}"
    );
    let stop = json!({ "threadId": at.thread });
    client.request("continue", stop);
    let (code, output) = client.finish();
    assert_eq!(code, 0);
    assert!(
        output.contains("launch 0: smooth\n") && output.contains("ran"),
        "{output}"
    );
}

#[test]
fn steps_go_by_lines_and_instructions_forwards_and_back() {
    let here = smooth("debug-steps", "debug.co", &[2]);
    let mut client = Client::launched(&here, &["launch.json"], json!({}));
    client.lines(json!([{ "line": 27, "hitCondition": "2" }]));
    client.request("configurationDone", json!({}));
    // The second wave is the second to come to the line.
    let first = client.stop();
    assert!(
        first.is("breakpoint", "(0,0,0) wave", 27),
        "{} {}",
        first.wave,
        first.line
    );
    client.lines(json!([]));

    let mut at = client.go("stepIn", &first);
    while at.function != "weighted(float, int)" {
        assert_eq!(at.reason, "step");
        at = client.go("stepIn", &at);
    }
    assert_eq!(at.stack["totalFrames"], 2);
    assert_eq!(at.stack["stackFrames"][1]["name"], "smooth");
    assert_eq!(at.stack["stackFrames"][1]["line"], 27);
    let out = client.go("stepOut", &at);
    assert_eq!(
        (out.function.as_str(), out.stack["totalFrames"].as_u64()),
        ("smooth", Some(1))
    );

    let mut at = out;
    while at.line != 29 {
        at = client.go("next", &at);
        assert_eq!(
            (at.reason.as_str(), at.function.as_str()),
            ("step", "smooth")
        );
    }
    // Over the call, and into it.
    let over = client.go("next", &at);
    assert_eq!((over.function.as_str(), over.line), ("smooth", 30));
    let back = client.go("stepBack", &over);
    assert_eq!((back.function.as_str(), back.line), ("smooth", 29));
    let called = client.go("stepIn", &back);
    assert_eq!(called.function, "halved(float)");
    let returned = client.go("stepOut", &called);
    assert_eq!((returned.function.as_str(), returned.line), ("smooth", 30));

    let inside = client.instruction("stepBack", &returned);
    assert_eq!(inside.function, "halved(float)");
    let mut back = client.go("stepBack", &inside);
    while back.function == inside.function {
        back = client.go("stepBack", &back);
    }
    assert_eq!((back.function.as_str(), back.line), ("smooth", 29));
    let returned = client.go("next", &back);

    let next = client.instruction("next", &returned);
    assert_ne!(next.address, returned.address);
    let before = client.instruction("stepBack", &next);
    assert_eq!(before.address, returned.address);
    assert_eq!(before.wave, returned.wave);
    client.disconnect();
}

#[test]
fn a_watched_element_stops_behind_its_write_in_both_directions_and_across_launches() {
    let here = smooth("debug-watch", "debug.co", &[1, 2]);
    let mut client = Client::launched(&here, &["launch.json"], json!({}));
    client.request(
        "setExceptionBreakpoints",
        json!({ "filters": ["trap", "end"] }),
    );
    client.request("configurationDone", json!({}));
    let end = client.stop();
    assert!(
        end.reason == "end" && end.wave.ends_with("ended"),
        "{}",
        end.wave
    );
    let end = client.go("continue", &end);
    assert_eq!(end.reason, "end");
    // 5 * 0 + 1, and 6 * 1 + 1 more, halved.
    assert_eq!(client.value("o[1,5]", &end), "4.0");

    let row =
        client.request("evaluate", json!({ "expression": "o[1]" }))["variablesReference"].clone();
    let info = client.request(
        "dataBreakpointInfo",
        json!({ "variablesReference": row, "name": "[5]" }),
    );
    assert_eq!(info["description"], "o[1,5] changes");
    let same = client.request("dataBreakpointInfo", json!({ "name": "o[1,5]" }));
    assert_eq!(same["dataId"], info["dataId"]);
    let none = client.request("dataBreakpointInfo", json!({ "name": "o" }));
    assert!(none["dataId"].is_null());
    let set = client.request(
        "setDataBreakpoints",
        json!({ "breakpoints": [
        { "dataId": info["dataId"], "accessType": "write" }, { "dataId": "o" },
        { "dataId": info["dataId"], "accessType": "read" },
    ] }),
    );
    let verified: Vec<&Value> = (0..3).map(|n| &set["breakpoints"][n]["verified"]).collect();
    assert_eq!(verified, [&json!(true), &json!(false), &json!(false)]);

    let mut found = Vec::new();
    let mut at = end;
    for command in [
        "reverseContinue",
        "reverseContinue",
        "reverseContinue",
        "continue",
        "continue",
    ] {
        at = client.go(command, &at);
        found.push((at.reason.clone(), client.value("o[1,5]", &at)));
        if at.reason == "data breakpoint" {
            assert!(at.wave.starts_with("group (1,0,0) wave 0"), "{}", at.wave);
            assert_eq!(at.body["text"], "o[1,5] has changed");
        }
    }
    let data = |value: &str| ("data breakpoint".to_owned(), value.to_owned());
    assert_eq!(
        found,
        [
            data("4.0"),
            data("0.5"),
            ("entry".into(), "0.0".into()),
            data("0.5"),
            data("4.0")
        ]
    );
    let before = client.instruction("stepBack", &at);
    assert_eq!(client.value("o[1,5]", &before), "0.5");
    let again = client.go("continue", &before);
    assert_eq!(again.reason, "data breakpoint");
    let end = client.go("continue", &again);
    assert_eq!(end.reason, "end");
    client.request("continue", json!({ "threadId": end.thread }));
    assert_eq!(client.finish().0, 0);
}

#[test]
fn functions_addresses_and_conditions_stop_too() {
    let here = smooth("debug-places", "debug.co", &[3]);
    let mut client = Client::launched(&here, &["launch.json"], json!({}));
    let set = client.request("setFunctionBreakpoints", json!({ "breakpoints": [
        { "name": "halved", "condition": "group.x == 1 && wave == 1" }, { "name": "smoth" }, { "name": "weighted" },
        { "name": "smooth", "condition": "maybe" },
    ] }));
    let set = set["breakpoints"].as_array().expect("a list").clone();
    assert_eq!(set[0]["verified"], true);
    let message = |n: usize| set[n]["message"].as_str().expect("text");
    assert!(
        message(1).contains("did you mean `smooth`?"),
        "{}",
        message(1)
    );
    assert!(message(2).contains("inlined everywhere"), "{}", message(2));
    assert!(
        message(3).contains("`maybe` is no condition"),
        "{}",
        message(3)
    );
    client.request("configurationDone", json!({}));
    let at = client.stop();
    assert!(
        at.is("function breakpoint", "(1,0,0) wave 1", 14),
        "{} {}",
        at.wave,
        at.line
    );

    let listed = client.request(
        "disassemble",
        json!({
            "memoryReference": at.address, "instructionOffset": -1, "instructionCount": 4
        }),
    );
    let listed = listed["instructions"].as_array().expect("a list").clone();
    assert_eq!(listed.len(), 4);
    assert_eq!(listed[0]["symbol"], "halved(float)");
    assert_eq!(listed[1]["address"], json!(at.address));
    let text = |n: usize| listed[n]["instruction"].as_str().expect("text");
    assert_eq!(
        (text(0), text(1)),
        (
            "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)",
            "v_mul_f32_e32 v0, 0.5, v0"
        )
    );
    client.request("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    let set = client.request(
        "setInstructionBreakpoints",
        json!({ "breakpoints": [
        { "instructionReference": listed[2]["address"] }, { "instructionReference": "here" },
    ] }),
    );
    assert_eq!(set["breakpoints"][0]["verified"], true);
    assert_eq!(set["breakpoints"][1]["verified"], false);
    let next = client.go("continue", &at);
    assert_eq!(
        (next.reason.as_str(), &json!(next.address)),
        ("breakpoint", &listed[2]["address"])
    );

    let x = client.request("evaluate", json!({ "expression": "x[1]" }))["memoryReference"].clone();
    let read = client.request("readMemory", json!({ "memoryReference": x, "count": 4 }));
    assert_eq!(read["data"], "AACAPw==");
    let read = client.request(
        "readMemory",
        json!({ "memoryReference": x, "offset": 504, "count": 99 }),
    );
    assert_eq!(
        (&read["data"], &read["unreadableBytes"]),
        (&json!("AAD+Qg=="), &json!(95))
    );
    client.disconnect();
}

#[test]
fn variables_of_code_without_optimisation_lie_in_scratch() {
    let here = smooth("debug-o0", "debug_O0.co", &[3]);
    let mut client = Client::launched(&here, &["launch.json"], json!({}));
    client.lines(json!([{ "line": 30, "condition": "group.x == 1 && item[63] == 127" }]));
    client.request("configurationDone", json!({}));
    let at = client.stop();
    assert!(at.is("breakpoint", "(1,0,0) wave 1", 30), "{}", at.wave);
    for (name, value) in [
        ("n", "3 in all lanes"),
        ("group", "1 in all lanes"),
        ("item[1]", "65"),
        ("sum[1]", "203.0"),
        ("result[1]", "101.5"),
        ("tile[65]", "65.0"),
    ] {
        assert_eq!(client.value(name, &at), value, "{name}");
    }
    assert!(client.value("out", &at).ends_with("($o) in all lanes"));
    client.disconnect();
}

#[test]
fn a_trap_stops_at_its_instruction_and_time_goes_back_from_there() {
    let here = scratch("debug-trap");
    // The editor's own file may have the launch in it.
    let launch = json!({ "version": "0.2.0", "configurations": [
        { "name": "other", "type": "lldb", "request": "launch" },
        { "name": "wild", "type": "deltanet", "request": "launch", "stopOnEntry": true,
          "code_object": format!("{DATA}/debug.co"),
          "buffers": { "o": {"bytes": 256, "fill": "zero"} },
          "launches": [ {"kernel": "wild", "grid": [1, 1, 1], "block": [64, 1, 1], "args": ["$o"]} ] },
    ] });
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    let mut client = Client::launched(&here, &["launch.json"], json!({}));
    client.request("configurationDone", json!({}));
    let trap = client.stop();
    assert!(
        trap.is("exception", "(0,0,0) wave 0", 37),
        "{} {}",
        trap.reason,
        trap.line
    );
    let told = trap.body["text"].as_str().expect("text");
    assert!(
        told.contains("memory fault: write of 4 bytes") && told.contains("wild"),
        "{told}"
    );
    let info = client.request("exceptionInfo", json!({ "threadId": trap.thread }));
    assert_eq!(info["description"], trap.body["text"]);
    let back = client.instruction("stepBack", &trap);
    assert_eq!(
        (back.reason.as_str(), &back.address),
        ("step", &trap.address)
    );
    assert_eq!(client.value("o[63]", &back), "1.0");
    let again = client.go("continue", &back);
    assert_eq!(again.reason, "exception");
    client.request("continue", json!({ "threadId": again.thread }));
    let (code, output) = client.finish();
    assert_eq!(code, 1);
    assert!(output.contains("trapped"), "{output}");
}

#[test]
fn a_test_is_debugged_and_judged() {
    let here = scratch("debug-test");
    let mut client = Client::launched(&here, &["--test", "gemm_nt_tiled"], json!({}));
    let set = client.lines(json!([{ "line": 1 }]));
    assert_eq!(
        set[0]["message"],
        "the code object has no debug information: build it with -g"
    );
    let kernel = json!({ "breakpoints": [{ "name": "kernel_gemm_nt_tiled" }] });
    let set = client.request("setFunctionBreakpoints", kernel);
    assert_eq!(set["breakpoints"][0]["verified"], true);
    client.request("configurationDone", json!({}));
    let at = client.stop();
    assert_eq!(
        (at.reason.as_str(), at.function.as_str()),
        ("function breakpoint", "kernel_gemm_nt_tiled")
    );
    let names: Vec<String> = client
        .scope("Tensors", &at)
        .into_iter()
        .map(|at| at.0)
        .collect();
    assert_eq!(names, ["A", "B", "C"]);
    client.request("setFunctionBreakpoints", json!({ "breakpoints": [] }));
    // Without line tables a step is an instruction.
    let next = client.go("next", &at);
    assert_eq!(next.reason, "step");
    let there = client.go("stepBack", &next);
    assert_eq!(there.address, at.address);
    client.request("continue", json!({ "threadId": there.thread }));
    let (code, output) = client.finish();
    assert_eq!(
        (code, output.contains("gemm_nt_tiled: PASS")),
        (0, true),
        "{output}"
    );
}

#[test]
fn the_request_may_name_what_runs() {
    let here = smooth("debug-request", "debug.co", &[1]);
    let all: Value =
        serde_json::from_slice(&std::fs::read(here.join("launch.json")).expect("written"))
            .expect("JSON");
    let mut inline = all.clone();
    inline["cwd"] = json!(here);
    inline["type"] = json!("deltanet");
    for arguments in [
        json!({ "launchFile": "launch.json", "cwd": here }),
        json!({ "launchFile": here.join("launch.json") }),
        inline,
        json!({ "test": "scale:n=63", "seed": 3 }),
    ] {
        let mut client = Client::launched(Path::new("/"), &[], arguments);
        client.request("configurationDone", json!({}));
        assert_eq!(client.finish().0, 0);
    }
}

#[test]
fn a_kernel_that_runs_on_can_be_paused() {
    let here = smooth("debug-pause", "debug.co", &[2_000_000_000]);
    let mut client = Client::launched(&here, &["launch.json"], json!({}));
    client.request("configurationDone", json!({}));
    // Requests are answered while the kernel runs.
    client.request("threads", json!({}));
    let set = client.lines(json!([{ "line": 29 }]));
    assert_eq!(set[0]["verified"], true);
    client.request("pause", json!({ "threadId": 0 }));
    let at = client.stop();
    assert_eq!(at.reason, "pause");
    // The innermost function may be one that is inlined.
    let frames = at.stack["stackFrames"].as_array().expect("frames");
    assert_eq!(frames.last().expect("a frame")["name"], "smooth");
    let next = client.instruction("next", &at);
    assert_eq!(next.reason, "step");
    client.request("continue", json!({ "threadId": next.thread }));
    client.disconnect();
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let here = smooth("debug-refused", "debug.co", &[1]);
    let mut client = Client::new(&here, &[]);
    for (command, arguments, told) in [
        ("fly", json!({}), "`fly` is no request"),
        ("", json!({}), "`` is no request"),
        ("attach", json!({}), "`attach` is not possible"),
        ("configurationDone", json!({}), "`launch` comes before"),
        (
            "stackTrace",
            json!({ "threadId": 1 }),
            "needs a launch that runs",
        ),
        ("launch", json!({}), "nothing to debug is named"),
        ("launch", json!([]), "nothing to debug is named"),
        (
            "launch",
            json!({ "launchFile": 7 }),
            "`launchFile` should be text, is 7",
        ),
        ("launch", json!({ "launchFile": "none.json" }), "none.json"),
        (
            "launch",
            json!({ "launchFile": "x.bin" }),
            "not a launch file",
        ),
        (
            "launch",
            json!({ "launchFile": "launch.json", "test": "scale" }),
            "name one",
        ),
        (
            "launch",
            json!({ "code_object": "none.co", "launches": [] }),
            "name a kernel to run",
        ),
        ("launch", json!({ "code_object": "none.co" }), "launches"),
        ("launch", json!({ "test": "sale" }), "sale"),
        (
            "launch",
            json!({ "test": "gemm*" }),
            "one is debugged at a time",
        ),
        (
            "launch",
            json!({ "test": "scale:n=63", "seed": "x" }),
            "`--seed x` is not a seed",
        ),
        ("source", json!({}), "needs `source.path`"),
        (
            "source",
            json!({ "source": { "path": "/none.hip" } }),
            "no file `/none.hip`",
        ),
    ] {
        let refusal = client.refusal(command, arguments);
        assert!(refusal.contains(told), "{command}: {refusal}");
    }
    client.request(
        "launch",
        json!({ "launchFile": "launch.json", "stopOnEntry": true }),
    );
    let set = client.request("setBreakpoints", json!({ "source": { "path": "other.hip" }, "breakpoints": [{ "line": -1 }, {}, { "line": 5 }] }));
    let set = set["breakpoints"].to_string();
    for told in [
        "line -1 is no line",
        "needs `line`",
        "its files are ./debug.hip",
    ] {
        assert!(set.contains(told), "{set}");
    }
    let huge = vec![json!({ "line": 1 }); 5000];
    for (command, arguments, told) in [
        (
            "launch",
            json!({ "launchFile": "launch.json" }),
            "one `launch`",
        ),
        ("setBreakpoints", json!({}), "needs `source.path`"),
        (
            "setBreakpoints",
            json!({ "source": { "path": "debug.hip" }, "breakpoints": huge }),
            "more than 4096",
        ),
        (
            "setBreakpoints",
            json!({ "source": { "path": "debug.hip" }, "breakpoints": 1 }),
            "should be a list",
        ),
    ] {
        let refusal = client.refusal(command, arguments);
        assert!(refusal.contains(told), "{command}: {refusal}");
    }
    client.request("configurationDone", json!({}));
    let at = client.stop();
    for (command, arguments, told) in [
        ("next", json!({}), "needs `threadId`"),
        ("next", json!({ "threadId": 99 }), "no thread 99"),
        (
            "next",
            json!({ "threadId": 1.5 }),
            "should be a whole number",
        ),
        ("scopes", json!({ "frameId": 77 }), "no frame 77"),
        (
            "scopes",
            json!({ "frameId": -1 }),
            "should be a whole number from 0 up",
        ),
        (
            "variables",
            json!({ "variablesReference": 1000 }),
            "no value 1000",
        ),
        (
            "variables",
            json!({ "variablesReference": 0 }),
            "no value 0",
        ),
        ("evaluate", json!({}), "needs `expression`"),
        (
            "evaluate",
            json!({ "expression": "o[9,9]" }),
            "lies outside of `o`",
        ),
        (
            "evaluate",
            json!({ "expression": "1 + 1" }),
            "nothing is named `1 + 1`",
        ),
        ("dataBreakpointInfo", json!({}), "needs `name`"),
        ("exceptionInfo", json!({}), "no wave has trapped"),
        (
            "disassemble",
            json!({ "memoryReference": "1900", "instructionCount": 1 }),
            "should be an address",
        ),
        (
            "readMemory",
            json!({ "memoryReference": "0x10", "offset": -17, "count": 1 }),
            "leaves the 64 bits",
        ),
        (
            "readMemory",
            json!({ "memoryReference": "0x10" }),
            "needs `count`",
        ),
    ] {
        let refusal = client.refusal(command, arguments);
        assert!(refusal.contains(told), "{command}: {refusal}");
    }
    let nothing = client.request(
        "readMemory",
        json!({ "memoryReference": "0xffffffffffffffff", "count": 9 }),
    );
    assert_eq!(nothing["unreadableBytes"], 9);
    let edges = json!({ "memoryReference": "0xfffffffffffffff0", "instructionOffset": -50000, "instructionCount": 60000 });
    let edges = client.request("disassemble", edges);
    assert_eq!(edges["instructions"].as_array().map(Vec::len), Some(10_000));
    assert_eq!(client.go("reverseContinue", &at).reason, "entry");
    client.disconnect();
}

#[test]
fn other_input_than_the_protocol_ends_with_an_error() {
    let here = scratch("debug-input");
    let end = |input: &[u8]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .arg("debug")
            .current_dir(&here)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("an adapter");
        let mut stdin = child.stdin.take().expect("a pipe");
        // The adapter may have ended before it has read all.
        let _ = stdin.write_all(input);
        drop(stdin);
        let output = child.wait_with_output().expect("an end");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), error)
    };
    assert_eq!(end(b""), (Some(0), String::new()));
    assert_eq!(
        end(b"Content-Length: 2\r\n\r\n{}"),
        (Some(0), String::new())
    );
    assert_eq!(end(b"Content-Length: 4\r\n\r\nnull").0, Some(0));
    let request = br#"{"type":"request","seq":[],"command":7,"arguments":"x"}"#;
    let framed = [
        format!("Content-Length: {}\r\n\r\n", request.len()).as_bytes(),
        request,
    ]
    .concat();
    assert_eq!(end(&framed).0, Some(0));
    for input in [
        &b"launch\n"[..],
        b"Content-Length: 5\r\n\r\n{}",
        b"Content-Length: 2\r\n\r\n{]",
        &[0xff; 4096],
    ] {
        let (code, error) = end(input);
        assert_eq!(code, Some(3), "{error}");
        assert!(
            error.starts_with("error: standard input is not the Debug Adapter Protocol"),
            "{error}"
        );
    }
    let both = run(&here, &["debug", "launch.json", "--test", "scale"]);
    assert_eq!(both.code, 2);
    assert!(both.err.contains("cannot be used with"), "{}", both.err);
}
