// The calls that the app makes of the contracts of stocks, and what they mean.
import { parseAbi } from 'viem'
import { knowAbis, tellMeaning, tellSigned } from '../wallet/contracts.ts'
import { unitsOf } from '../wallet/units.ts'
import { words } from './strings.ts'
import { wordsOfCall } from './words-of-calls.ts'

knowAbis({
  StockRouter: parseAbi([
    'function deposit(address token, uint96 amount)',
    'function withdraw(address token, uint96 amountWad)',
    'function depositStock(address token, uint256 amount)',
    'function withdrawStock(address token, uint256 amount)',
    'function placeMarketOrder(address stockToken, int96 amount, uint32 deadline)',
    'function placeLimitOrder(address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline)',
    'function cancelLimitOrder(bytes32 orderId)',
  ]),
})
tellSigned('OneClickRouter', { Delegate: words.oneClickAllows })
tellMeaning('StockRouter', (name, args) => wordsOfCall(name, args, unitsOf))
