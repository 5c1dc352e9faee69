// Sessions of `deltanet-check debug` as VS Code has them. Arguments: the program, the folder of debug.co and debug.hip, and a folder to write to.
// `scripts/debug-kit.sh` calls it.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const [program, data, scratch] = process.argv.slice(2);
const source = path.join(data, "debug.hip");

// Two groups of two waves, and 128 numbers that rise by 1.
function launchFile() {
    const numbers = Float32Array.from({ length: 128 }, (_, n) => n);
    fs.writeFileSync(path.join(scratch, "x.bin"), Buffer.from(numbers.buffer));
    const launch = {
        code_object: path.join(data, "debug.co"),
        buffers: { x: { file: "x.bin" }, o: { bytes: 1024, fill: "zero", shape: [2, 128] } },
        launches: [{ kernel: "smooth", grid: [2, 1, 1], block: [128, 1, 1], args: ["$x", "$o", { i32: 3 }] }],
    };
    const file = path.join(scratch, "launch.json");
    fs.writeFileSync(file, JSON.stringify(launch));
    return file;
}

const sessions = {
    "a launch runs to its end": (client, launch) =>
        Promise.all([client.configurationSequence(), client.launch(launch), client.waitForEvent("terminated"), client.waitForEvent("exited")]),

    "a session stops on entry": (client, launch) =>
        Promise.all([client.configurationSequence(), client.launch({ ...launch, stopOnEntry: true }), client.assertStoppedLocation("entry", { path: source, line: 19 })]),

    "a breakpoint is hit, and a line without code moves to the next": async (client, launch) => {
        const next = { path: source, line: 23 };
        await client.hitBreakpoint(launch, { path: source, line: 22 }, next, next);
    },

    "values are shown, and a step goes forwards and back": async (client, launch) => {
        const [, , stop] = await client.hitBreakpoint(launch, { path: source, line: 29 });
        const [frame] = stop.body.stackFrames;
        const value = async (expression) => (await client.evaluateRequest({ expression, frameId: frame.id })).body.result;
        assert.equal(await value("tile[127]"), "127.0");
        assert.equal(await value("o[0,5]"), "0.0");
        const { body: scopes } = await client.scopesRequest({ frameId: frame.id });
        assert.deepEqual(scopes.scopes.slice(0, 3).map((scope) => scope.name), ["Locals", "Arguments", "Tensors"]);
        const { body: threads } = await client.threadsRequest();
        const { id } = threads.threads[0];
        const stopped = (send) => Promise.all([client.waitForEvent("stopped"), send({ threadId: id })]);
        await stopped((step) => client.stepInRequest({ ...step, granularity: "instruction" }));
        const [back] = await stopped((step) => client.stepBackRequest({ ...step, granularity: "instruction" }));
        const { body: stack } = await client.stackTraceRequest({ threadId: back.body.threadId });
        assert.equal(stack.stackFrames[0].line, 29);
    },

    "a launch that does not exist is refused": (client) =>
        client.launch({ launchFile: path.join(scratch, "none.json") }).then(
            () => assert.fail("it is launched"),
            (error) => assert.match(error.message, /none\.json/),
        ),
};

async function main() {
    const launch = { launchFile: launchFile() };
    for (const [name, session] of Object.entries(sessions)) {
        const client = new DebugClient(program, "debug", "deltanet");
        await client.start();
        try {
            await session(client, launch);
        } finally {
            await client.stop();
        }
        console.log(`ok  ${name}`);
    }
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
