import type { ComponentChildren } from 'preact'
import type { Resource } from '../lib/resource.ts'
import { common } from '../strings.ts'
import { Button } from './button.tsx'

/** What a resource holds, or that it is on its way, or why it is not there and a button to ask again. */
export function Loaded<Data>({
  of,
  children,
}: {
  readonly of: Resource<Data>
  readonly children: (data: Data) => ComponentChildren
}) {
  const { data, error } = of
  if (data.value !== undefined) {
    return (
      <>
        {error.value && <Failure message={error.value} onRetry={of.refresh} />}
        {children(data.value)}
      </>
    )
  }
  if (error.value) return <Failure message={error.value} onRetry={of.refresh} />
  return <p class="empty">{common.loading}</p>
}

export function Failure({ message, onRetry }: { readonly message: string; readonly onRetry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <span class="wrap-anywhere">{message}</span>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          {common.retry}
        </Button>
      )}
    </div>
  )
}
