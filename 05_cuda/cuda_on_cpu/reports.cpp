/* Reports: places in the source, and what the checks have found.
 *
 * Races and unwritten reads are kept until the launch ends. Of all that were found for one pair of places, the one of
 * the first block and the lowest threads is told, the reader first; so the report is the same whatever order the
 * threads came in. Each kind is told once for a place. */
#include "machine.h"
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <set>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <string>
#include <tuple>

/* ---- places ---- */
/* The debugger's tools know the line: addr2line, or atos on a Mac. Of functions put into each other, the first line
 * that is a kernel's own counts, not one of the emulation. */
static std::string look_up(const void *pc)
{
    Dl_info object;
    if (!dladdr(pc, &object)) return "somewhere";
    const char *at = (const char *)pc - 1; /* in the call, not behind it */
    const unsigned long offset = at - (const char *)object.dli_fbase;
    char command[4400], line[1024];
    std::string first;
#ifdef __APPLE__ /* "flash_kernel(float const*) (in check) (flash.cu:41)" */
    snprintf(command, sizeof command,
             "atos -i -o '%s' -l %p %p 2>/dev/null | sed -n 's/.*(\\([^()]*:[0-9]*\\))$/\\1/p'", object.dli_fname,
             object.dli_fbase, (const void *)at);
#else
    snprintf(command, sizeof command, "addr2line -s -i -e '%s' %#lx 2>/dev/null", object.dli_fname, offset);
#endif
    if (FILE *f = popen(command, "r")) {
        while (fgets(line, sizeof line, f)) {
            line[strcspn(line, " \n")] = 0;
            if (first.empty() || (strstr(line, ".cu:") && first.find(".cu:") == std::string::npos)) first = line;
        }
        pclose(f);
    }
    if (!first.empty() && first[0] != '?') return first;
    const char *name = strrchr(object.dli_fname, '/');
    snprintf(line, sizeof line, "%s+%#lx", name ? name + 1 : object.dli_fname, offset);
    return line;
}
const char *place_of(const void *pc)
{
    static std::map<const void *, std::string> known;
    const auto found = known.find(pc);
    return (found != known.end() ? found : known.emplace(pc, look_up(pc)).first)->second.c_str();
}

/* ---- reports ---- */
static dim3 grid; /* of the launch that the reports are about */
static uint3 block_number(size_t n)
{
    return {(unsigned)(n % grid.x), (unsigned)(n / grid.x % grid.y), (unsigned)(n / grid.x / grid.y)};
}

static void tell(const char *place, const char *kind, const std::string &what)
{
    static std::set<std::string> told;
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    if (!told.insert(std::string(place) + kind).second) return;
    cuda_on_cpu.reports++;
    fprintf(stderr, "%s: %s: %s\n", place, kind, what.c_str());
}
static std::string thread_of(unsigned thread, uint3 b)
{
    char text[128];
    snprintf(text, sizeof text, "thread %u of block (%u,%u,%u)", thread, b.x, b.y, b.z);
    return text;
}
void report(const char *place, const char *kind, const Fiber *who, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(place, kind, who ? text + ("; " + thread_of(who->thread, cuda_on_cpu_now.block)) : text);
}

/* ---- what is kept until the launch ends ---- */
struct Finding {
    const char *kind;
    Place_of_access first, second; /* first: what the sentence begins with */
    bool operator<(const Finding &f) const /* of the same places */
    {
        return std::tie(first.block, first.thread, second.block, second.thread) <
               std::tie(f.first.block, f.first.thread, f.second.block, f.second.thread);
    }
};
typedef std::tuple<const char *, const void *, const void *, int, int> Places;
static std::map<Places, Finding> findings;

static void keep(const Finding &f)
{
    const Places places(f.kind, f.first.pc, f.second.pc, f.first.kind, f.second.kind);
    const auto known = findings.emplace(places, f).first;
    if (f < known->second) known->second = f;
}
static const char race_kind[2][24] = {"race in global memory", "race in shared memory"};
static const char unwritten_kind[] = "uninitialised read";

void note_race(Place_of_access a, Place_of_access b, bool shared)
{
    const auto rank = [](const Place_of_access &p) { return std::make_tuple(p.kind & Write, p.pc, p.block, p.thread); };
    if (rank(b) < rank(a)) std::swap(a, b); /* who reads comes first */
    keep({race_kind[shared], a, b});
}
void note_pending(Place_of_access copy, Place_of_access now)
{
    keep({now.kind & Write ? "cp.async under way" : "cp.async not waited for", now, copy});
}
void note_unwritten(Place_of_access read, bool shared)
{
    keep({unwritten_kind, read, {NULL, shared, 0, 0}});
}

static const char *verb(int kind)
{
    return kind & Atomic ? "changes by an atomic" : kind & Pending && kind & Write ? "copies to" :
           kind & Write ? "writes" : "reads";
}
static std::string sentence(const Finding &f)
{
    if (!f.second.pc)
        return std::string("reads ") + (f.second.kind ? "shared" : "global") + " memory that nobody has written";
    const std::string place = place_of(f.second.pc);
    std::string other = "thread " + std::to_string(f.second.thread);
    if (f.second.block != f.first.block) other = thread_of(f.second.thread, block_number(f.second.block));
    if (f.kind == race_kind[0] || f.kind == race_kind[1])
        return std::string(verb(f.first.kind)) + " what " + other + " " + verb(f.second.kind) + " at " + place +
               ", with no barrier between";
    if (!(f.second.kind & Write)) return "writes what " + other + "'s copy, set out at " + place + ", may still read";
    return std::string(verb(f.first.kind)) + (f.first.kind & Write ? " where " : " shared memory that ") + other +
           "'s copy, set out at " + place + (f.first.kind & Write ? ", may still land" : ", may not have reached");
}
void tell_findings(const dim3 &of_grid)
{
    grid = of_grid;
    std::map<std::pair<std::string, const char *>, std::pair<std::string, Finding>> chosen;
    std::set<std::string> racing; /* where a race was found, that explains an unwritten read */
    for (const auto &entry : findings) {
        const Finding &f = entry.second;
        const std::string place = place_of(f.first.pc), other = f.second.pc ? place_of(f.second.pc) : "";
        if (f.kind != unwritten_kind) racing.insert(place);
        const auto at = chosen.emplace(std::make_pair(place, f.kind), std::make_pair(other, f));
        if (at.second) continue;
        auto &best = at.first->second;
        if (other < best.first || (other == best.first && f < best.second)) best = {other, f};
    }
    findings.clear();
    for (const auto &entry : chosen) {
        const Finding &f = entry.second.second;
        if (f.kind == unwritten_kind && racing.count(entry.first.first)) continue;
        tell(entry.first.first.c_str(), f.kind,
             sentence(f) + "; " + thread_of(f.first.thread, block_number(f.first.block)));
    }
}
