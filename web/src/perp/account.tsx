import { useEffect, useMemo, useState } from 'preact/hooks'
import { compare, isPositive } from '../lib/decimal.ts'
import { Gate } from '../session/gate.tsx'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Field } from '../ui/field.tsx'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Segments } from '../ui/segments.tsx'
import { wallet } from './account-data.ts'
import { approve, makeDoing, perform } from './actions.ts'
import { DoingNote } from './doing-note.tsx'
import { amountText, whenText } from './figures.tsx'
import { History } from './history.tsx'
import { Keys } from './keys.tsx'
import { OneClickSwitch } from './one-click-switch.tsx'
import { words } from './strings.ts'
import { fromWad, isZero } from './units.ts'
import { followMarkets, perpSession } from './venue.ts'
import './perp.css'

type Balance = NonNullable<typeof wallet.data.value>['portfolios'][number]

export function Account() {
  useEffect(followMarkets, [])
  return (
    <>
      <div class="page-head">
        <h1>{words.account}</h1>
        <OneClickSwitch />
      </div>
      <Gate state={perpSession}>
        <Loaded of={wallet}>
          {({ portfolios, isBlacklisted, pendingDuration }) => (
            <>
              {isBlacklisted && <Failure message={words.blacklisted} />}
              {portfolios.map((balance) => (
                <div class="columns" key={balance.quote}>
                  <Balances balance={balance} waits={pendingDuration} />
                  <MoveMoney balance={balance} />
                </div>
              ))}
            </>
          )}
        </Loaded>
        <Keys />
        <Panel title={words.history} flush>
          <History />
        </Panel>
      </Gate>
    </>
  )
}

const NO_LIMIT = 2n ** 200n
const isUnlimited = (wad: string): boolean => BigInt(wad) > NO_LIMIT

function Balances({ balance, waits }: { readonly balance: Balance; readonly waits: string }) {
  const { symbol, pendingBalance: pending } = balance
  return (
    <Panel title={`${words.balances} · ${symbol}`}>
      <Facts
        facts={[
          [words.atGate, <strong key="free">{amountText(balance.balance, symbol)}</strong>],
          [words.inMargin, amountText(balance.reservedBalance, symbol)],
          [words.inWallet, amountText(balance.walletBalance, symbol)],
          [words.approved, isUnlimited(balance.allowance) ? words.unlimited : amountText(balance.allowance, symbol)],
          [
            words.waiting,
            isZero(pending.amount)
              ? null
              : words.waitingUntil(amountText(pending.amount, symbol), whenText(pending.timestamp + Number(waits))),
          ],
        ]}
      />
    </Panel>
  )
}

function MoveMoney({ balance }: { readonly balance: Balance }) {
  const [way, setWay] = useState<'deposit' | 'withdraw'>('deposit')
  const [amount, setAmount] = useState('')
  const doing = useMemo(makeDoing, [])
  const { symbol } = balance
  const most = fromWad(way === 'deposit' ? balance.walletBalance : balance.balance) ?? '0'
  const tooMuch = isPositive(amount) && compare(amount, most) > 0
  const isRight = isPositive(amount) && !tooMuch
  const needsApproval = way === 'deposit' && isRight && compare(fromWad(balance.allowance) ?? '0', amount) < 0
  const text = `${amount} ${symbol}`
  const move = async (event: Event) => {
    event.preventDefault()
    if (!isRight) return
    if (needsApproval) {
      await doing.run(words.approveDone(text), (at) => approve(symbol, amount, at))
      return
    }
    const what = way === 'deposit' ? words.depositDone(text) : words.withdrawDone(text)
    const intent = { action: way, params: { quote: symbol, amount } }
    if (await doing.run(what, (at) => perform(intent, at))) setAmount('')
  }
  return (
    <Panel title={words.moveMoney}>
      <form class="stack" noValidate onSubmit={(event) => void move(event)}>
        <Segments
          label={words.moveMoney}
          value={way}
          options={[
            { value: 'deposit', label: words.deposit },
            { value: 'withdraw', label: words.withdraw },
          ]}
          onChange={setWay}
        />
        <Field
          label={words.amount}
          decimal
          suffix={symbol}
          value={amount}
          error={
            tooMuch
              ? words.tooMuch(`${most} ${symbol}`)
              : amount === '' || isPositive(amount)
                ? null
                : words.amountWrong
          }
          onInput={setAmount}
        />
        <div class="row">
          <Button size="small" onClick={() => setAmount(most)}>
            {words.most}
          </Button>
          {way === 'withdraw' && !isUnlimited(balance.thresholdBalance) && (
            <span class="muted">{words.queued(amountText(balance.maxWithdrawable, symbol))}</span>
          )}
          {needsApproval && <span class="muted">{words.approveHint}</span>}
        </div>
        <Button type="submit" variant="primary" size="wide" busy={doing.step.value !== null} aria-disabled={!isRight}>
          {needsApproval ? words.approveFirst(symbol) : way === 'deposit' ? words.deposit : words.withdraw}
        </Button>
        <DoingNote doing={doing} />
      </form>
    </Panel>
  )
}
