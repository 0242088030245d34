import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { timeZone } from '../lib/format.ts'
import { hrefTo } from '../router.ts'
import { common } from '../strings.ts'

/** Whether this listener serves /status, which the operator's page shows. */
const servesStatus = signal(false)

async function askForStatus(): Promise<void> {
  const answer = await fetch('/status').catch(() => null)
  servesStatus.value = answer?.ok === true
}

export function Footer() {
  useEffect(() => void askForStatus(), [])
  return (
    <footer class="foot">
      <span>{common.unaudited}</span>
      <span>{common.timesIn(timeZone())}</span>
      <a href="/docs">{common.apiReference}</a>
      {servesStatus.value && <a href={hrefTo('/operator')}>{common.operator}</a>}
      {/* The notice that the charts' licence asks for, in place of a logo that would break Trusted Types. */}
      <a href="https://www.tradingview.com/" rel="noreferrer" target="_blank">
        {common.charts}
      </a>
    </footer>
  )
}
