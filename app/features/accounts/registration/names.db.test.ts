import { beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { form, request } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { claimUsername } from '../accounts.queries.server.ts'
import { registerMember } from '../accounts.server.ts'
import { auth } from '../auth.server.ts'

useDatabase()

const staffName = 'This name looks like that of a staff member. Choose another.'
const invisible = 'A name cannot contain invisible characters.'
const direction = 'A name cannot contain characters that change the direction of writing.'
const meaningless = 'A name cannot contain characters that not every device can show.'
const marks = 'A name cannot have that many accents on one letter.'
const letter = 'A name needs at least one letter.'
const missing = 'Full name is required!'

/** Typed → stored. */
const accepted: [typed: string, stored?: string][] = [
	['Zoë First'],
	['  Mira \u00a0\u3000 Quillon ', 'Mira Quillon'],
	['Mira\n\tQuillon\u2028', 'Mira Quillon'],
	['Jose\u0301 A\u0301lvarez', 'José Álvarez'],
	['D’Arcy O’Neil-Smith, Jr.'],
	['Ngô Thị Bích Ngọc'],
	['王小明'],
	['佐藤 さくら'],
	['김민준'],
	['Дмитрий Иванов'],
	['Ελένη Παππά'],
	['מרים כהן'],
	['מִרְיָם שָׁלוֹם'],
	['محمد علی'],
	['علی\u200cرضا'],
	['राज क्\u200dष'],
	['ශ්\u200dරී'],
	['สมชาย นํ้าใจ'],
	['བསྒྲུབས'],
	['မြွှေ'],
	['Ana 🚀'],
	['Ana 👩\u200d💻'],
	['Ana ✌🏽'],
	['Ana 🇩🇪'],
	['X'],
	['Supporto Amico'],
	['Modesta Adminova'],
	['Odalys Quillon'],
	['Anna DevQuad'],
]

const refused: [typed: string, because: string][] = [
	['', missing],
	[' \u00a0\u3000', missing],
	['\u200b', invisible],
	['Mi\u200bra', invisible],
	['\u3164', invisible],
	['\u2800\u2800', invisible],
	['Mi\u00adra', invisible],
	['Mira\ufe0f', invisible],
	['Mira\u{e0041}\u{e0042}', invisible],
	['Mira\u2060Quillon', invisible],
	['Mi\ufeffra', invisible],
	['Mi\u200dra', invisible],
	['Mi\u034fra', invisible],
	['\u115f\u1160', invisible],
	['\u202eanomraM', direction],
	['Mira \u2066Quillon\u2069', direction],
	['Mira\u200f', direction],
	['Mi\u0000ra', invisible],
	['Mi\u001b[31mra', invisible],
	['Mi\u0085ra', invisible],
	['Mi\ue000ra', meaningless],
	['Mi\u0378ra', meaningless],
	['Mi\ud800ra', meaningless],
	['Mi\ufffdra', meaningless],
	[`M${'\u0335'.repeat(4)}ira`, marks],
	['\u0301ra', marks],
	['12345', letter],
	['🚀🚀', letter],
	['...', letter],
	[`M${'x'.repeat(100)}`, 'A name has at most 100 characters.'],
	['Odalys Fernbrook', staffName],
	['odalys  FERNBROOK', staffName],
	['Оdаlуs Fеrnbrооk', staffName],
	['𝐎𝐝𝐚𝐥𝐲𝐬 𝐅𝐞𝐫𝐧𝐛𝐫𝐨𝐨𝐤', staffName],
	['Ｏｄａｌｙｓ Ｆｅｒｎｂｒｏｏｋ', staffName],
	['Odaly5 Fernbr00k', staffName],
	['0da1ys Fernbrook', staffName],
	['Odalys Fembrook', staffName],
	['Ódàlýs Fernbrook', staffName],
	['Odalys.Fernbrook 🚀', staffName],
	['Admin', staffName],
	['A d m i n', staffName],
	['4dm1n', staffName],
	['Аdmіn', staffName],
	['The Moderator', staffName],
	['Rnoderator', staffName],
	['Site Administrator', staffName],
	['Support', staffName],
	['DevQuad', staffName],
	['Dev Quad Support', staffName],
	['DevQuad Team', staffName],
	['ᴅevquad', staffName],
	['STAFF ⭐', staffName],
]

let sent = 0
const password = 'a lantern at the ford'

function signUp(name: string, email = `name${++sent}@campus.example`): Promise<Response> {
	return auth().handler(
		new Request('http://localhost:3000/api/auth/sign-up/email', {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', 'x-client-ip': `192.0.2.${sent}` },
			body: JSON.stringify({ name, email, password }),
		}),
	)
}

const memberOf = (email: string) =>
	db().selectFrom('users').select(['name', 'username']).where('email', '=', email).executeTakeFirst()

beforeAll(async () => {
	const { id } = await makeMember('odalys', 'moderator')
	await claimUsername('odalys')
	await db().updateTable('users').set({ name: 'Odalys Fernbrook' }).where('id', '=', id).execute()
})

describe('a name at registration', () => {
	test.each(accepted)('%j is accepted', async (typed, stored = typed) => {
		const answer = await signUp(typed)
		expect(await answer.json()).toEqual({ status: true })
		expect(await memberOf(`name${sent}@campus.example`)).toMatchObject({ name: stored })
	})

	test.each(refused)('%j is refused: %s', async (typed, because) => {
		const answer = await signUp(typed)
		expect(answer.status).toBe(422)
		expect(await answer.json()).toMatchObject({ code: 'INVALID_NAME', message: because })
		expect(await memberOf(`name${sent}@campus.example`)).toBeUndefined()
	})

	test('is rejected by the form with an error at its field', async () => {
		const fields = { name: 'Admin', email: 'form@campus.example', password, confirmPassword: password }
		const refusal = await registerMember(form(fields), request()).catch((error: unknown) => error)
		expect(refusal).toMatchObject({ fields: { name: staffName } })
	})
})

describe('a username', () => {
	test.each([
		['0dalys@campus.example', 'member2'],
		['od4lys@campus.example', 'member3'],
		['adm1n@campus.example', 'member4'],
		['rnoderator7@campus.example', 'member5'],
		['dev.quad@campus.example', 'member6'],
		['support-team@campus.example', 'member7'],
		// The same username, not a look-alike: it gets a number.
		['odalys@other.example', 'odalys2'],
		['odalysia@campus.example', 'odalysia'],
	])('for %s is %s', async (email, username) => {
		expect((await signUp('Somebody Else', email)).status).toBe(200)
		expect(await memberOf(email)).toMatchObject({ username })
	})
})
