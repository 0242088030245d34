import { useEffect, useState } from 'preact/hooks'
import { compare, isPositive } from '../lib/decimal.ts'
import { shorten } from '../lib/format.ts'
import { Gate } from '../session/gate.tsx'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Field } from '../ui/field.tsx'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Segments } from '../ui/segments.tsx'
import { unitAt, wallet } from './account-data.ts'
import { approve, perform, useDoing } from './actions.ts'
import { DoingNote } from './doing-note.tsx'
import { amountText, whenText } from './figures.tsx'
import { History } from './history.tsx'
import { Keys } from './keys.tsx'
import { OneClickSwitch, PerpOneClickExit } from './one-click-switch.tsx'
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
                  <Balances balance={balance} name={nameIn(portfolios, balance)} waits={pendingDuration} />
                  <MoveMoney balance={balance} name={nameIn(portfolios, balance)} />
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
      <PerpOneClickExit />
    </>
  )
}

/** The token's symbol; of several tokens with one symbol with the ends of the address. */
function nameIn(all: readonly Balance[], { symbol, quote }: Balance): string {
  const isShared = all.filter((one) => one.symbol === symbol).length > 1
  return isShared ? `${symbol} ${shorten(quote)}` : symbol
}

const NO_LIMIT = 2n ** 200n
const isUnlimited = (wad: string): boolean => BigInt(wad) > NO_LIMIT

interface OfToken {
  readonly balance: Balance
  readonly name: string
}

function Balances({ balance, name, waits }: OfToken & { readonly waits: string }) {
  const { pendingBalance: pending } = balance
  const unit = unitAt(balance)
  return (
    <Panel title={`${words.balances} · ${name}`}>
      <Facts
        facts={[
          [words.atGate, <strong key="free">{amountText(balance.balance, unit)}</strong>],
          [words.inMargin, amountText(balance.reservedBalance, unit)],
          [words.inWallet, amountText(balance.walletBalance, unit)],
          [words.approved, isUnlimited(balance.allowance) ? words.unlimited : amountText(balance.allowance, unit)],
          [
            words.waiting,
            isZero(pending.amount)
              ? null
              : words.waitingUntil(amountText(pending.amount, unit), whenText(pending.timestamp + Number(waits))),
          ],
        ]}
      />
    </Panel>
  )
}

function MoveMoney({ balance, name }: OfToken) {
  const [way, setWay] = useState<'deposit' | 'withdraw'>('deposit')
  const [amount, setAmount] = useState('')
  const doing = useDoing(`money ${balance.quote}`)
  const most = fromWad(way === 'deposit' ? balance.walletBalance : balance.balance) ?? '0'
  const tooMuch = isPositive(amount) && compare(amount, most) > 0
  const isRight = isPositive(amount) && !tooMuch
  const needsApproval = way === 'deposit' && isRight && compare(fromWad(balance.allowance) ?? '0', amount) < 0
  const text = `${amount} ${name}`
  const move = async (event: Event) => {
    event.preventDefault()
    if (!isRight) return
    if (needsApproval) {
      await doing.run(words.approveDone(text), (at) => approve(balance.quote, amount, at))
      return
    }
    const what = way === 'deposit' ? words.depositDone(text) : words.withdrawDone(text)
    const intent = { action: way, params: { quote: balance.quote, amount } }
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
          suffix={name}
          value={amount}
          error={
            tooMuch ? words.tooMuch(`${most} ${name}`) : amount === '' || isPositive(amount) ? null : words.amountWrong
          }
          onInput={setAmount}
        />
        <div class="row">
          <Button size="small" onClick={() => setAmount(most)}>
            {words.most}
          </Button>
          {way === 'withdraw' && !isUnlimited(balance.thresholdBalance) && (
            <span class="muted">{words.queued(amountText(balance.maxWithdrawable, unitAt(balance)))}</span>
          )}
          {needsApproval && <span class="muted">{words.approveHint}</span>}
        </div>
        <Button type="submit" variant="primary" size="wide" busy={doing.step.value !== null} aria-disabled={!isRight}>
          {needsApproval ? words.approveFirst(name) : way === 'deposit' ? words.deposit : words.withdraw}
        </Button>
        <DoingNote doing={doing} />
      </form>
    </Panel>
  )
}
