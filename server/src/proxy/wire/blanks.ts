/** Without blanks and tabs at its ends. Nothing else is optional in a header; `trim` would take more away. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
