#!/bin/sh
# Holds the Chinese texts to their English twins (twins.awk says how), and shows that each kind of difference is found.
#
#     tests/checks/twins.sh TEXT.md ...           (make test-lessons)
#     tests/checks/twins.sh --seen TEXT.md ...    prints the digests of the English sections (make chinese-seen)
#
# STRICT=1: a section that is older than its English twin is a fault. The last line counts: "N passed, N failed".
set -u
export LC_ALL=C
place=build/twins
mkdir -p $place || exit 2
twins() { awk -v seen="$seen" -v strict="${STRICT:-}" -v show="${show:-}" -f tests/checks/twins.awk "$@"; }

# What GB 2312 does not hold is not simplified Chinese.
simplified() {
    show=han twins "$@" >$place/han
    iconv -c -f UTF-8 -t GB2312 $place/han | iconv -f GB2312 -t UTF-8 >$place/simplified
    ! grep -vxF -f $place/simplified $place/han || { echo "not simplified: see above"; return 1; }
}
hold() { twins "$@" && simplified "$@"; }

pairs() { for text in "$@"; do echo "$text"; echo "${text%.md}.zh-CN.md"; done; }
seen=docs/zh-CN.seen
if [ "${1:-}" = --seen ]; then
    shift
    show=digests twins $(pairs "$@")
    exit
fi

passed=0 failed=0
count() { if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }
[ $# = 0 ] || count hold $(pairs "$@")

# ---- what must be found: a pair of small texts, and one edit each ----
cat >$place/sound.md <<'END'
# Blocks

[中文](sound.zh-CN.md)

The keys come in `block` keys, as [04](sound.md) has it, `sum[i]
*= rescale` and all.

## Weights
| block | sum |
| --- | --- |
| 16 | 2.118 |

![sums](figures/blocks.svg)

```c
sum[i] *= rescale;
```
END
cat >$place/sound.zh-CN.md <<'END'
# 分块

[English](sound.md)

键按 `block` 一块一块来，见 [04](sound.zh-CN.md)，`sum[i] *= rescale` 也是。

## 权重
| 块 | 和 |
| --- | --- |
| 16 | 2.118 |

![各块之和](figures/blocks.svg)

```c
sum[i] *= rescale;
```
END
seen=$place/seen
: >$seen
show=digests twins $(pairs $place/sound.md) >$seen.new && mv $seen.new $seen
count hold $(pairs $place/sound.md)

# planted WORDS LANGUAGE EDIT: the edit of that text is a fault that is told with these words
planted() {
    cp $place/sound.md $place/planted.md && cp $place/sound.zh-CN.md $place/planted.zh-CN.md
    case $2 in en) text=planted.md ;; zh) text=planted.zh-CN.md ;; esac
    sed "$3" $place/$text >$place/edited && mv $place/edited $place/$text
    sed 's/sound/planted/' $place/seen >$place/seen.planted
    if said=$(seen=$place/seen.planted; STRICT=1 hold $place/planted.md $place/planted.zh-CN.md) ||
        ! echo "$said" | grep -q "$1"; then echo "planted: '$3' is not told as '$1', but: $said"; return 1; fi
}
count planted 'heading of level 3' zh 's/^## /### /'
count planted '1 headings, and' zh '/^## /d'
count planted 'this block is not that of .*planted.md:15' zh 's/rescale;/rescale/'
count planted 'the picture figures/blocks.svg' zh '/!\[/d'
count planted 'the link sound.md' zh 's/，见 .*/。/'
count planted 'there is no .*nowhere.zh-CN.md' zh 's/(sound.zh/(nowhere.zh/'
count planted 'this leads to sound.md' zh 's/04\](sound.zh-CN/04](sound/'
count planted 'the number 2.118' zh 's/2.118/2.181/'
count planted 'the code `block`' en 's/`block`/`blocks`/'
count planted 'the code `sum\[i\] \*= rescale`' zh 's/`sum\[i\] /`sum /'
count planted 'no line leads' zh '/English/d'
count planted 'older than .*planted.md:8' en 's/^## Weights/## Weights of a block/'
count planted 'no space' zh 's/键按 /键按/'
count planted 'ASCII punctuation' zh 's/，/,/'
count planted 'doubled punctuation' zh 's/，/，，/'
count planted 'beside full-width' zh 's/，/， /'
count planted 'not simplified' zh 's/权重/權重/'
count planted 'translated, not written' zh 's/键按/值得注意的是键按/'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
