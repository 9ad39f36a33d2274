/* The checks. Every two bytes of shared and global memory have a Cell that remembers who wrote them last and who read
 * them since. (Four would be fewer, but then neighbouring halves would accuse each other.)
 *
 * Time is counted in epochs: one begins with every launch, every block and every barrier. Blocks run one after the
 * other while checks are on, so epochs only grow. Two accesses of one block are ordered if a barrier lies between them;
 * two of one warp, also if a warp operation does. Accesses of different blocks of one launch never are. Two accesses
 * of which one is a write, and not ordered: a race, whatever order the threads happened to take this time. */
#include "machine.h"
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <set>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

struct Stamp {
    uint32_t epoch; /* 0: never */
    uint16_t thread, warp_epoch;
};
struct Cell {
    Stamp writer, reader[2];
    int32_t written_at, read_at; /* places in the program, counted from here() */
    bool pending, atomic;        /* the last write: a cp.async under way, an atomicAdd */
};

static uint32_t epoch = 1, launch_epoch, block_epoch;

void new_epoch(Event why)
{
    if (!cuda_on_cpu.check) return;
    epoch++;
    if (why == New_launch) launch_epoch = epoch; /* what was written to global memory before is there for all */
    if (why == New_block) block_epoch = epoch;   /* what lies in shared memory now is nobody's */
}

/* ---- places and reports ---- */
static const char *here() { return (const char *)&cuda_on_cpu; } /* any address of the program will do */

/* asks addr2line; the first line that is a kernel's own, not that of a function of the emulation put into it */
static std::string look_up(const void *pc)
{
    Dl_info object;
    if (!dladdr(pc, &object)) return "somewhere";
    const long offset = (const char *)pc - (const char *)object.dli_fbase - 1;
    char command[4200], line[512];
    std::string first;
    snprintf(command, sizeof command, "addr2line -s -i -e '%s' %#lx 2>/dev/null", object.dli_fname, offset);
    if (FILE *f = popen(command, "r")) {
        while (fgets(line, sizeof line, f)) {
            line[strcspn(line, " \n")] = 0;
            if (first.empty() || (strstr(line, ".cu:") && first.find(".cu:") == std::string::npos)) first = line;
        }
        pclose(f);
    }
    snprintf(line, sizeof line, "program+%#lx", offset);
    return first.empty() || first[0] == '?' ? line : first;
}
const char *place_of(const void *pc)
{
    static std::map<const void *, std::string> known;
    const auto found = known.find(pc);
    return (found != known.end() ? found : known.emplace(pc, look_up(pc)).first)->second.c_str();
}

void report(const char *place, const char *kind, const Fiber *who, const char *format, ...)
{
    static std::set<std::string> reported;
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    if (!reported.insert(std::string(place) + kind).second) return;
    cuda_on_cpu.reports++;
    fprintf(stderr, "%s: %s: ", place, kind);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    const uint3 b = cuda_on_cpu_now.block;
    if (who) fprintf(stderr, "; thread %u of block (%u,%u,%u)", who->thread, b.x, b.y, b.z);
    else if (core && core->launch) fprintf(stderr, "; block (%u,%u,%u)", b.x, b.y, b.z);
    fprintf(stderr, "\n");
}

/* ---- cells ---- */
Cell *make_cells(size_t bytes)
{
    Cell *cells = (Cell *)calloc(bytes / Granule + 1, sizeof(Cell));
    if (!cells) abort();
    return cells;
}

/* of static or dynamic shared memory */
static Cell *shared_cells(const void *p)
{
    static Cell *dynamic, *fixed;
    if (!dynamic) dynamic = make_cells(Max_shared), fixed = make_cells(core->statics.end - core->statics.begin);
    const size_t offset = (const unsigned char *)p - core->shared;
    return offset < Max_shared ? dynamic + offset / Granule
                               : fixed + ((const unsigned char *)p - core->statics.begin) / Granule;
}

void initialised(const Allocation &a, size_t offset, size_t bytes)
{
    for (size_t i = offset / Granule; a.cells && i < (offset + bytes + Granule - 1) / Granule; i++)
        a.cells[i].writer.epoch = epoch;
}

void mark_pending(const void *p, size_t bytes, bool pending)
{
    if (!cuda_on_cpu.check) return;
    Cell *cells = shared_cells(p);
    for (size_t i = 0; i < bytes / Granule; i++) {
        cells[i].pending = pending;
        cells[i].writer.epoch = epoch; /* set out now; or landed now */
        cells[i].writer.warp_epoch = core->me->warp_epoch;
    }
}

/* ---- the rules ---- */
static bool ordered(Stamp then, Stamp now, bool global)
{
    if (then.epoch < (global ? launch_epoch : block_epoch)) return true; /* another launch, or past */
    if (then.epoch < block_epoch) return false;                          /* another block of this launch */
    if (then.thread == now.thread || then.epoch != now.epoch) return true;
    return then.thread / Warp == now.thread / Warp && then.warp_epoch != now.warp_epoch;
}

static void race(const char *doing, const char *done, Stamp then, int32_t where, bool global, const void *pc)
{
    const std::string other = place_of(here() + where);
    report(place_of(pc), global ? "race in global memory" : "race in shared memory", core->me,
           "%s what thread %u%s %s at %s, with no barrier between", doing, then.thread,
           then.epoch < block_epoch ? " of another block" : "", done, other.c_str());
}

static void check_read(Cell &c, Stamp now, bool global, const void *pc)
{
    if (c.pending)
        report(place_of(pc), "cp.async not waited for", core->me, "reads shared memory that thread %u's copy, set out at %s, "
               "may not have reached", c.writer.thread, place_of(here() + c.written_at));
    else if (c.writer.epoch < (global ? 1 : block_epoch))
        report(place_of(pc), "uninitialised read", core->me, "reads %s memory that nobody has written",
               global ? "global" : "shared");
    else if (!ordered(c.writer, now, global))
        race("reads", "wrote", c.writer, c.written_at, global, pc);
}

/* the latest reader, and one of another warp or block if there was one */
static void note_reader(Cell &c, Stamp now)
{
    Stamp &latest = c.reader[0];
    if (latest.epoch < block_epoch && latest.epoch >= launch_epoch) c.reader[1] = latest;
    else if (latest.epoch == now.epoch && latest.thread / Warp != now.thread / Warp) c.reader[1] = latest;
    latest = now;
}

void check_access(const Allocation *a, const void *p, size_t bytes, Access kind, const void *pc)
{
    const bool global = a != NULL;
    Cell *cells = global ? a->cells + ((unsigned char *)p - a->begin) / Granule : shared_cells(p);
    const Stamp now = {epoch, (uint16_t)core->me->thread, (uint16_t)core->me->warp_epoch};
    const int32_t where = (int32_t)((const char *)pc - here());
    for (size_t i = 0; i < (bytes + Granule - 1) / Granule; i++) {
        Cell &c = cells[i];
        if (kind == Read) {
            check_read(c, now, global, pc);
            note_reader(c, now);
            c.read_at = where;
            continue;
        }
        if (kind == Atomic && c.writer.epoch < (global ? 1 : block_epoch)) check_read(c, now, global, pc);
        if (!(kind == Atomic && c.atomic) && !ordered(c.writer, now, global))
            race("writes", "wrote", c.writer, c.written_at, global, pc);
        for (int r = 0; r < 2; r++)
            if (!ordered(c.reader[r], now, global)) race("writes", "read", c.reader[r], c.read_at, global, pc);
        c.writer = now, c.written_at = where;
        c.reader[0] = c.reader[1] = {};
        c.pending = false, c.atomic = kind == Atomic;
    }
}

void sync_lanes(Fiber *warp, unsigned lanes)
{
    for (int l = 0; l < Warp; l++)
        if (lanes >> l & 1) warp[l].warp_epoch++;
}
