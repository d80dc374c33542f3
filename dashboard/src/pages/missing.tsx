import { pathOf } from "../hooks/router.ts";
import { Empty, Link } from "../ui/basics.tsx";

export const Missing = () => (
  <div className="card">
    <Empty
      page
      icon="search"
      title="There is nothing at this address"
      action={
        <Link to={pathOf.workspaces} className="btn btn-primary">
          Go to workspaces
        </Link>
      }
    >
      It may have been deleted for good, or it belongs to somebody else.
    </Empty>
  </div>
);
