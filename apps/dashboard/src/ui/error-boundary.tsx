import { Component, type ReactNode } from "react";
import { Failed } from "./states.tsx";

/** Shows what failed while it was rendered, and keeps the rest of the page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override readonly state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="page">
        <h1 tabIndex={-1}>This screen failed</h1>
        <Failed error={this.state.error} onRetry={() => location.reload()} />
      </div>
    );
  }
}
