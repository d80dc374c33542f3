/** A text without any meaning of its marks. */
export const AsWritten = ({ source }: { source: string }) => (
  <p className="text-sm wrap-anywhere whitespace-pre-wrap">{source}</p>
);
