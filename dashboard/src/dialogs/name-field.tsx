/** What cannot be undone lightly asks for the name, typed. */
export const NameField = ({
  name,
  typed,
  onChange,
}: {
  name: string;
  typed: string;
  onChange: (typed: string) => void;
}) => (
  <label>
    <span className="label">
      Type <strong className="text-ink">{name}</strong> to confirm
    </span>
    <input
      className="field"
      autoComplete="off"
      spellCheck={false}
      value={typed}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
);
