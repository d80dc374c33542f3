/** What git is given as an address. Whoever asks has looked more closely; no option and no other way out gets through here. */
export const ADDRESS: RegExp = /^(https?:\/\/|ssh:\/\/|[A-Za-z0-9_][^\s:/@]*@[A-Za-z0-9][^\s:/]*:)[^\s]+$/;
