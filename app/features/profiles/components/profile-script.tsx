import { useRootData } from '~/lib/root-data.ts'
import { scriptJson } from '~/lib/script-json.ts'
import type { ProfileView } from '../profiles.view.ts'
import { profilePage } from './structured-data.ts'

/** The member for programs that read the page. @param nonce of the answer that the page came with */
export function ProfileScript({ profile, nonce }: { profile: ProfileView; nonce: string | undefined }) {
	const { publicUrl } = useRootData()
	const json = scriptJson(profilePage(profile, publicUrl))
	return <script type="application/ld+json" nonce={nonce} dangerouslySetInnerHTML={{ __html: json }} />
}
