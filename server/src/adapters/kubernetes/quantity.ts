const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** Bytes, as the cluster writes amounts of storage; null for what is none. */
export function quantityOf(text: string): number | null {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)(\w*)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  return number === undefined || factor === undefined ? null : Math.floor(Number(number) * factor);
}
