/** Of a value whose key the server has lost: only its name is left. */
export const CannotBeOpened = ({ cure }: { cure: string }) => (
  <p className="text-[13px] text-error">
    Cannot be opened: the server has lost the key that sealed it, so workspaces start without it. {cure}.
  </p>
);
