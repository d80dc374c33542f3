/** What an honest adapter and an honest cluster do. Planted bugs switch one off. */
export interface Ways {
  /** A pod is gone when it is gone, not when its removal was accepted. */
  readonly waitsUntilGone: boolean;
  /** Pods whose removal is under way, and pods that have not begun, are shown. */
  readonly showsAll: boolean;
  /** A workspace's pods share one name, so the cluster lets only one of them be. */
  readonly oneName: boolean;
  /** A pod on a node that does not answer is left alone. */
  readonly neverForces: boolean;
  /** A start that is given up asks for its pod's removal. */
  readonly removesGivenUp: boolean;
  /** No pod is asked for on a claim that is being deleted. */
  readonly refusesGoingClaims: boolean;
  /** Every home has a finalizer of ours. */
  readonly holdsHomes: boolean;
  /** A claim whose removal was begun is let go of by whoever removes it next. */
  readonly letsGoAgain: boolean;
}

export const FAITHFUL: Ways = {
  waitsUntilGone: true,
  showsAll: true,
  oneName: true,
  neverForces: true,
  removesGivenUp: true,
  refusesGoingClaims: true,
  holdsHomes: true,
  letsGoAgain: true,
};
