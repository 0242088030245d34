// English of what both products share: layout, wallet, session, failures. A product's own words are in its folder.

export const common = {
  brand: 'Bourse',
  skip: 'Skip to the content',
  close: 'Close',
  cancel: 'Cancel',
  loading: 'Loading …',
  retry: 'Try again',
  messages: 'Messages',
  copy: 'Copy',
  copied: 'Copied',
  navigation: 'Screens',
  products: 'Products',
  stocks: 'Stocks',
  perpetuals: 'Perpetuals',
  notFound: 'There is no such screen.',
  toMarkets: 'To the markets',
  lightTheme: 'Switch to light colours',
  darkTheme: 'Switch to dark colours',
  timesIn: (zone: string) => `Times are in ${zone}`,
  charts: 'Charts by TradingView Lightweight Charts™, © TradingView, Inc.',
  apiReference: 'API reference',
  operator: 'Operator',
  unaudited: 'Unaudited software: no real money.',
  exportCsv: 'Export CSV',
  actions: 'Actions',
  twoWays: (text: string, whole: string, decimal: string) =>
    `${text} can be read in two ways. Write ${whole} or ${decimal}.`,
  shownOf: (shown: number, total: number) => `${shown} of ${total}`,
  newer: 'Newer',
  older: 'Older',
  screenFailed: 'This screen could not be loaded. The venue may have been updated: reload the page.',
  reload: 'Reload the page',
} as const

export const walletWords = {
  connect: 'Connect wallet',
  chooseTitle: 'Connect a wallet',
  choose: 'Choose the wallet that you trade with. The venue never holds its key.',
  none: 'No wallet was found. Install a wallet extension that supports EIP-6963 and reload the page.',
  accountNumber: (number: number) => `Account ${number}`,
  account: 'Wallet',
  ofAccount: (account: string, text: string) => `${account}: ${text}`,
  developmentWallet: 'Development wallet',
  developmentChain: 'the development chain',
  chainNumber: (id: number) => `chain ${id}`,
  disconnect: 'Disconnect',
  signIn: 'Sign in',
  signingIn: 'Waiting for your signature …',
  signedIn: 'You are signed in.',
  signedOut: 'You are signed out.',
  signInHint: 'One signature makes a key for this browser. It costs nothing and moves nothing.',
  signOut: 'Sign out',
  sessionEnded: 'Your session has ended. Sign in again to go on.',
  sessionUntil: (time: string) => `Signed in until ${time}`,
  needWallet: 'Connect a wallet to see this.',
  needSession: 'Sign in with your wallet to see this.',
  wrongChain: (name: string, id: number) => `Your wallet is on another chain. This venue is on ${name} (${id}).`,
  switchChain: (name: string) => `Switch to ${name}`,
  addChain: (id: number) =>
    `Your wallet does not know chain ${id}. Add it there with the node of this venue, then switch.`,
  rejected: 'You rejected it in your wallet. Nothing was sent.',
  rejectedThis: 'You rejected it in your wallet.',
  oneClick: 'One Click',
  oneClickEnded: 'One Click is off; press again to sign with your wallet.',
  revoke: 'Revoke with my wallet',
  revokeHint: 'Turning One Click off goes through the venue. Revoking is a transaction of your own, and needs nobody.',
  approvalStands:
    'You rejected it in your wallet. Only the approval before it was sent, and it stands until it is used or you take it back in your wallet.',
  approvalCleared:
    'You rejected the new approval in your wallet. The one that stood before was taken back already, as this token wants it.',
  wrongAccount:
    'Your wallet has switched to another account meanwhile. This was not sent: do it again with the account that is to do it.',
  confirmTitle: 'Check before you sign',
  confirmLead: 'Your wallet will ask you to confirm exactly this.',
  chain: 'Chain',
  target: 'Contract',
  call: 'Call',
  meaning: 'What it does',
  allows: 'Allows',
  mayTake: 'May be taken from your wallet',
  taker: 'By',
  noLimit: 'without limit',
  arguments: 'Arguments',
  value: 'Sends along',
  text: 'Text to sign',
  continue: 'Continue to wallet',
  cancelSigning: 'Cancel',
  unknownTarget: (address: string) =>
    `Refused: ${address} is none of this venue's contracts. Nothing was signed. Reload the page; if it happens again, tell the operator.`,
  unknownCall: 'Refused: this call is none that the app knows. Nothing was signed.',
  consentWrong:
    'Refused: what the venue asks the wallet to sign for One Click is not its own delegation for your wallet. Nothing was signed.',
  reverted: (hash: string) => `The transaction was mined but reverted, so nothing changed: ${hash}`,
} as const

/** Of a One Click send that the page had begun before it was loaded anew. */
export const earlierWords = {
  confirmed: 'What you sent by One Click just before this page was loaded anew has gone through.',
  failed: (reason: string | null) =>
    `What you sent by One Click just before this page was loaded anew did not go through, so nothing changed${reason ? `: ${reason}` : '.'}`,
  neverArrived:
    'What you sent by One Click just before this page was loaded anew never reached the venue: nothing was done.',
  notKnown:
    'It is not known yet what became of what you sent by One Click just before this page was loaded anew. It will show in your lists if it was done; do not send it again before you have looked.',
} as const

export const failureWords = {
  listChanges: 'The list keeps changing. Try again in a moment.',
  of: (what: string, why: string) => `${what}: ${why}`,
  offline: 'The venue does not answer. Check your connection; what you see may be old.',
  limited: (seconds: number) =>
    `The venue takes no more requests from here for ${seconds} s. Everything waits and then goes on by itself; what you typed stays.`,
  unknownOutcome:
    'The answer was lost, and what you asked for may have been done. It will show in your lists in a moment if so; do not send it again before you have looked.',
  failedOnChain: (reason: string | null) =>
    `It was sent but did not go through, so nothing changed${reason ? `: ${reason}` : '.'}`,
  notConfirmed:
    'It was sent, and is not confirmed yet. It will show in your lists once it is; do not send it again before you have looked.',
  notMined:
    'It was sent, and is not mined yet. It may still be, so do not send it again: your wallet shows how it stands, and can raise its fee or cancel it.',
  notMinedAs: (hash: string) =>
    `It was sent, and the chain has not confirmed it yet. It may still, so do not send it again: your wallet shows how ${hash} stands.`,
  unknown: 'Something went wrong.',
  setup: 'The settings of this venue could not be loaded.',
} as const
