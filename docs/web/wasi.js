// What a C program compiled for WebAssembly asks of its system: it can print, read the files that it is given, and end.
// (The system interface is WASI, snapshot preview1.)
"use strict";

const programs = {}; // name: its WebAssembly in base64; each program's own script puts it in
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const modules = {};  // compiled once
const compiled = name => modules[name] ??= WebAssembly.compile(bytes(programs[name]));

// All programs run in the same memory, one after the other: one of its own for each run would stay until the browser
// tidies up. (A library has its own.)
let room;

// options: after the program's name; files: { path: Uint8Array }; print(text, stream): 1 is the output, 2 are errors
function system(options, files, print) {
    const OK = 0, BAD_FILE = 8, NO_ENTRY = 44, TERMINAL = 2, FOLDER = 3, FILE = 4;
    const open = [TERMINAL, TERMINAL, TERMINAL, FOLDER].map(kind => ({ kind, letters: new TextDecoder() }));
    const strings = ["program", ...options].map(text => new TextEncoder().encode(text + "\0"));
    let memory;
    const view = () => new DataView(memory.buffer), word = (at, value) => view().setUint32(at, value, true);
    const part = (at, length) => new Uint8Array(memory.buffer, at, length);
    // one after the other, the pieces of memory that a list of (address, length) names; done: how many bytes
    function pieces(list, count, done, each) {
        let total = 0;
        for (let at = list; at < list + 8 * count; at += 8)
            total += each(part(view().getUint32(at, true), view().getUint32(at + 4, true)));
        return word(done, total), OK;
    }
    const known = {
        fd_write: (fd, list, count, done) => pieces(list, count, done, piece =>
            (print(open[fd].letters.decode(piece, { stream: true }), fd), piece.length)),
        fd_read: (fd, list, count, done) => !open[fd]?.data ? BAD_FILE : pieces(list, count, done, piece => {
            const file = open[fd], some = file.data.subarray(file.at, file.at + piece.length);
            return piece.set(some), file.at += some.length, some.length;
        }),
        fd_seek(fd, offset, whence, result) {
            const file = open[fd];
            if (!file?.data) return BAD_FILE;
            file.at = Number(offset) + [0, file.at, file.data.length][whence];
            return view().setBigUint64(result, BigInt(file.at), true), OK;
        },
        fd_close: fd => (delete open[fd], OK),
        fd_fdstat_get: (fd, at) => open[fd] ? (part(at, 24).fill(255), word(at, open[fd].kind), OK) : BAD_FILE,
        fd_prestat_get: (fd, at) => fd !== 3 ? BAD_FILE : (word(at, 0), word(at + 4, 1), OK),
        fd_prestat_dir_name: (fd, at) => (part(at, 1)[0] = ".".charCodeAt(0), OK),
        path_open(folder, how, path, length, flags, rights, more, fdflags, result) {
            const data = files[new TextDecoder().decode(part(path, length))];
            return data ? (word(result, open.push({ kind: FILE, data, at: 0 }) - 1), OK) : NO_ENTRY;
        },
        args_sizes_get: (count, size) =>
            (word(count, strings.length), word(size, strings.reduce((sum, s) => sum + s.length, 0)), OK),
        args_get(list, at) {
            for (const s of strings) word(list, at), part(at, s.length).set(s), list += 4, at += s.length;
            return OK;
        },
        proc_exit(status) { throw { status }; },
    };
    return {
        imports: { wasi_snapshot_preview1: new Proxy(known, { get: (all, name) => all[name] ?? (() => BAD_FILE) }) },
        run: instance => (memory = instance.exports.memory ?? room, instance.exports),
    };
}

// a program whose functions are called; resolves to them
async function library(name) {
    const { imports, run } = system([], {}, text => console.error(text));
    const c = run(await WebAssembly.instantiate(await compiled(name), imports));
    return c._initialize(), c;
}

// runs a program's main; resolves to { status, output, errors }
async function program(name, options = [], files = {}) {
    const said = ["", "", ""], { imports, run } = system(options, files, (text, fd) => said[fd] += text);
    const module = await compiled(name);
    room ??= new WebAssembly.Memory({ initial: 64 });
    new Uint8Array(room.buffer).fill(0);
    const c = run(new WebAssembly.Instance(module, { ...imports, env: { memory: room } }));
    let status = 0;
    try { c._start(); } catch (end) {
        if (!("status" in end)) throw end;
        ({ status } = end);
    }
    return { status, output: said[1], errors: said[2] };
}
