import { expect, test } from 'vitest'
import { passwordError } from './password-rules.server.ts'

const mira = { email: 'mira.quillon+quad@cs.eastmere.example', name: 'Mira Zoë Quillon', username: 'mira.quillon2' }

test.each([
	['1234567', 'TOO_SHORT'],
	['🏮🦊🌊🎻🧭🪁🌲', 'TOO_SHORT'],
	['e\u0301'.repeat(7), 'TOO_SHORT'],
	['🏮🦊🌊🎻🧭🪁🌲🪵', undefined],
	['a lantern '.repeat(12), undefined],
	[`${'a lantern '.repeat(12)}at ford.`, undefined],
	[`${'a lantern '.repeat(12)}at fords.`, 'TOO_LONG'],
	// Breached, and nearly so.
	['PassWord', 'TOO_COMMON'],
	['password1', 'TOO_COMMON'],
	['password1234', 'TOO_COMMON'],
	['Password!!', 'TOO_COMMON'],
	['iloveyou', 'TOO_COMMON'],
	['trustno1', 'TOO_COMMON'],
	['sunshine2024', 'TOO_COMMON'],
	['password ', 'TOO_COMMON'],
	['password 184467', undefined],
	// Repetitions.
	['        ', 'TOO_COMMON'],
	['aaaaaaaa', 'TOO_COMMON'],
	['a'.repeat(15), 'TOO_COMMON'],
	['🏮'.repeat(8), 'TOO_COMMON'],
	['abababab', 'TOO_COMMON'],
	['xyzxyzxyzx', 'TOO_COMMON'],
	['7$q!7$q!7$q!', 'TOO_COMMON'],
	// Rows of keys and of the alphabet.
	['12345678901234567890', 'TOO_COMMON'],
	['98765432109876', 'TOO_COMMON'],
	['abcdefgh', 'TOO_COMMON'],
	['zyxwvutsrq', 'TOO_COMMON'],
	['qwertyuiop', 'TOO_COMMON'],
	['poiuytrewq', 'TOO_COMMON'],
	['asdfghjkla', 'TOO_COMMON'],
	['1qaz2wsx3edc4rfv5tgb', 'TOO_COMMON'],
	['abcdefghij lantern', undefined],
	// The site's name.
	['DevQuad2026', 'TOO_PERSONAL'],
	['devquaddevquad', 'TOO_PERSONAL'],
	['dev-quad!!', 'TOO_PERSONAL'],
	['123devquad456', 'TOO_PERSONAL'],
	['ⅮｅｖＱｕａｄ', 'TOO_SHORT'],
	['ＤｅｖＱｕａｄ7', 'TOO_PERSONAL'],
	['DevQuad at the ford', undefined],
	// The owner.
	['mira.quillon+quad@cs.eastmere.example', 'TOO_PERSONAL'],
	['MIRA.QUILLON', 'TOO_PERSONAL'],
	['mira.quillon2', 'TOO_PERSONAL'],
	['MiraZoëQuillon', 'TOO_PERSONAL'],
	['quillonmira1999', 'TOO_PERSONAL'],
	['quillonquillon', 'TOO_PERSONAL'],
	['eastmere1', 'TOO_PERSONAL'],
	['mira@devquad', 'TOO_PERSONAL'],
	['quillon!abc', 'TOO_PERSONAL'],
	['Mira reads at dusk', undefined],
	['a lantern at the ford', undefined],
	['               🙂', undefined],
	['x9$Lq7!w', undefined],
])('of the password %j is said: %s', (password, code) => {
	expect(passwordError(password, mira)?.code).toBe(code && `PASSWORD_${code}`)
})

test('without an owner only the site’s name is rejected', () => {
	expect(passwordError('mira.quillon')).toBeNull()
	expect(passwordError('my devquad')?.code).toBe('PASSWORD_TOO_PERSONAL')
})
