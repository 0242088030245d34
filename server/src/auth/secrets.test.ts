import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openSecret, parseMasterKeys, sealSecret } from './secrets.ts'

const first = randomBytes(32)
const second = randomBytes(32)

describe('parseMasterKeys', () => {
  it('reads hex and base64, with and without versions', () => {
    for (const text of [first.toString('hex'), first.toString('base64'), `1:${first.toString('hex')}`]) {
      expect(parseMasterKeys(text)).toEqual({ currentVersion: 1, byVersion: new Map([[1, first]]) })
    }
    const both = parseMasterKeys(`10:${second.toString('base64')}, 9:${first.toString('hex')}`)
    expect(both.currentVersion).toBe(10)
    expect(both.byVersion.get(9)).toEqual(first)
  })

  it.each(['', 'short', first.toString('hex').slice(2), `${first.toString('hex')},`, `x:${first.toString('hex')}`])(
    'refuses %j without repeating it',
    (text) => {
      const message = /^SECRETS_KEY must be 32 bytes in hex or base64; make one with: openssl rand -hex 32$/
      expect(() => parseMasterKeys(text)).toThrow(message)
    },
  )

  it('refuses a version given twice', () => {
    expect(() => parseMasterKeys(`1:${first.toString('hex')},1:${second.toString('hex')}`)).toThrow('version 1 twice')
  })
})

describe('sealed secrets', () => {
  const keys = parseMasterKeys(first.toString('hex'))

  it('open only whole, under their key id and their master key', () => {
    const sealed = sealSecret(keys, 'key-a', 'the secret')
    expect(openSecret(keys, 'key-a', sealed)).toBe('the secret')
    expect(sealed.sealed.includes('the secret')).toBe(false)
    expect(() => openSecret(keys, 'key-b', sealed)).toThrow()
    expect(() => openSecret(parseMasterKeys(second.toString('hex')), 'key-a', sealed)).toThrow()
    for (let i = 0; i < sealed.sealed.length; i++) {
      const bent = Buffer.from(sealed.sealed)
      bent[i] = (bent[i] ?? 0) ^ 1
      expect(() => openSecret(keys, 'key-a', { ...sealed, sealed: bent })).toThrow()
    }
  })

  it('still open after the master key was rotated', () => {
    const sealed = sealSecret(keys, 'key-a', 'the secret')
    const rotated = parseMasterKeys(`2:${second.toString('hex')},1:${first.toString('hex')}`)
    expect(openSecret(rotated, 'key-a', sealed)).toBe('the secret')
    expect(sealSecret(rotated, 'key-a', 'x').masterKeyVersion).toBe(2)
    const onlyNew = parseMasterKeys(`2:${second.toString('hex')}`)
    expect(() => openSecret(onlyNew, 'key-a', sealed)).toThrow('SECRETS_KEY does not hold version 1')
  })

  it('are never the same twice', () => {
    expect(sealSecret(keys, 'key-a', 'x').sealed).not.toEqual(sealSecret(keys, 'key-a', 'x').sealed)
  })
})
