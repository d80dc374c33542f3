/**
 * How much may wait in a socket before its source is stopped. One read fills what Node by itself takes for too much, so
 * without this every single chunk would stop and start its source, which costs more than carrying it.
 */
const LIMIT_BYTES = 256 * 1024;

/** After a write: whether the source should rest until the next drain. */
export const mustRest = (wrote: boolean, destination: { readonly writableLength: number }): boolean =>
  !wrote && destination.writableLength > LIMIT_BYTES;
