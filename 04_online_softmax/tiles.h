/* The demonstration of attention_tiled and attention_flash: which queries meet which keys, tile by tile. */
#ifndef TILES_H
#define TILES_H

/* Prints the walk; trace_file (or NULL) gets a line of comma-separated values for every tile and row:
 * step, head, row, i0, i1, j0, j1, skipped, maximum, sum, rescale, first (see flash_step).
 * Returns the program's exit status: 0, 1 if a result is wrong, 2 on an error, which is told on stderr. */
int show_tiles(const char *trace_file);

#endif
