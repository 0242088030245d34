import { useState } from 'preact/hooks'
import { download } from '../lib/csv.ts'
import { explain } from '../lib/explain.ts'
import { common, failureWords } from '../strings.ts'
import { Button } from './button.tsx'
import { toast } from './toast.tsx'

/** Offers a list as a file, or says why it cannot be had: a part of it would be taken for the whole. */
export function ExportButton({ name, text }: { readonly name: string; readonly text: () => Promise<string> }) {
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      download(name, await text())
    } catch (error) {
      toast('bad', failureWords.of(common.exportCsv, explain(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="small" busy={isBusy} onClick={() => void run()}>
      {common.exportCsv}
    </Button>
  )
}
