import { demoAccounts } from '~/features/demo/demo-account.server.ts'
import { cookiesOf } from './browser.ts'

/** Logs the member of the demo in to a site with this data directory. @returns the cookies of the session */
export async function logInDemoMember(url: string, dataDir: string): Promise<string> {
	const demo = await demoAccounts(dataDir)
	if (!demo) throw new Error('This site has no demo account.')
	const { headers } = await fetch(`${url}/login`, {
		method: 'POST',
		redirect: 'manual',
		headers: { Origin: url },
		body: new URLSearchParams({ ...demo.member }),
	})
	return cookiesOf(headers)
}
