import { describe, expect, it } from 'vitest'
import { channelLabel, channelLabels, channelName, outboxChannel } from './key-channels.ts'

const SHOP = { product: 'shop', names: ['orders', 'cash'] }
const BANK = { product: 'bank', names: ['orders', 'loans'] }

describe('what operators call the channels', () => {
  it('is their own names, where each is one product’s', () => {
    expect([...channelLabels([SHOP]).keys()]).toEqual(['orders', 'cash'])
    expect(channelLabels([SHOP]).get('cash')).toEqual({ product: 'shop', name: 'cash' })
    expect(channelLabel([SHOP], outboxChannel('shop', 1, 'key', 'orders'))).toBe('orders')
  })

  it('has the product before a name that two products have', () => {
    const both = [SHOP, BANK]
    expect([...channelLabels(both).keys()]).toEqual(['shop:orders', 'cash', 'bank:orders', 'loans'])
    expect(channelLabel(both, outboxChannel('bank', 1, 'key', 'orders'))).toBe('bank:orders')
    expect(channelLabel(both, outboxChannel('bank', 1, 'key', 'loans'))).toBe('loans')
  })

  it('is the name alone for a channel of a product that is no longer there', () => {
    expect(channelLabel([SHOP], outboxChannel('gone', 1, 'key', 'wares'))).toBe('wares')
    expect(channelName(outboxChannel('gone', 1, 'key', 'wares'))).toBe('wares')
  })
})
