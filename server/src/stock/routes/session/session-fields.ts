import Type from 'typebox'

// What several operations show of a session.

export const apiKeySchema = Type.String({ pattern: '^[0-9a-f]{32}$', description: "The session's API key." })

export const timeProperties = {
  createdAt: Type.Integer({ description: 'Unix seconds; when it was opened.' }),
  expiresAt: Type.Integer({ description: 'Unix seconds; when it ends.' }),
}

export const EXAMPLE_KEY = '3f1c9a5e7b2d4860a1c3e5f708192a3b'
export const DAY_SEC = 86_400

export const timesOf = ({ createdAt, expiresAt }: { readonly createdAt: Date; readonly expiresAt: Date }) => ({
  createdAt: seconds(createdAt),
  expiresAt: seconds(expiresAt),
})

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
