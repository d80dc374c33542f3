import { Card } from "../ui/basics.tsx";
import { Markdown } from "../ui/markdown.tsx";

export const MemoCard = ({ memo }: { memo: string }) => (
  <Card title="Memo">
    <Markdown source={memo} />
  </Card>
);
