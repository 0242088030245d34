import { common } from '../strings.ts'
import { Button } from './button.tsx'

export interface PagesProps {
  readonly page: number
  readonly size: number
  readonly total: number
  readonly onPage: (page: number) => void
}

/** Back and forth in a list that is longer than a page. */
export function Pages({ page, size, total, onPage }: PagesProps) {
  if (total <= size) return null
  return (
    <div class="row between page-turner">
      <Button size="small" disabled={page === 1} onClick={() => onPage(page - 1)}>
        {common.newer}
      </Button>
      <span class="muted">{common.shownOf(Math.min(page * size, total), total)}</span>
      <Button size="small" disabled={page * size >= total} onClick={() => onPage(page + 1)}>
        {common.older}
      </Button>
    </div>
  )
}
