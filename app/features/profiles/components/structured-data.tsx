import { pictureUrl } from '~/lib/addresses.ts'
import { scriptJson } from '~/lib/html.ts'
import { useRootData } from '~/lib/root-data.ts'
import type { ProfileView } from '../profiles.view.ts'

const largestPortrait = 512

/**
 * A member as schema.org's ProfilePage: only what this viewer sees on the page.
 * @param publicUrl the site's address without a trailing slash
 */
export function profilePage(profile: ProfileView, publicUrl: string) {
	const url = `${publicUrl}/find-dev/${profile.username}`
	return {
		'@context': 'https://schema.org',
		'@type': 'ProfilePage',
		url,
		dateCreated: profile.joinedAt,
		mainEntity: {
			'@type': 'Person',
			name: profile.name,
			alternateName: `@${profile.username}`,
			identifier: profile.username,
			url,
			description: textOrUndefined(profile.about),
			jobTitle: textOrUndefined(profile.expertise),
			image: profile.image ? publicUrl + pictureUrl(profile.image, largestPortrait) : undefined,
			email: textOrUndefined(profile.email),
			telephone: textOrUndefined(profile.phone),
			knowsAbout: profile.skills.length > 0 ? profile.skills : undefined,
			sameAs: profile.social.length > 0 ? profile.social.map((link) => link.url) : undefined,
			address: profile.city ? { '@type': 'PostalAddress', addressLocality: profile.city } : undefined,
			affiliation: profile.university ? { '@type': 'CollegeOrUniversity', name: profile.university } : undefined,
		},
	}
}

function textOrUndefined(text: string): string | undefined {
	return text === '' ? undefined : text
}

/** The structured data of the page. @param nonce of the page's response */
export function ProfileScript({ profile, nonce }: { profile: ProfileView; nonce: string | undefined }) {
	const { publicUrl } = useRootData()
	const json = scriptJson(profilePage(profile, publicUrl))
	return <script type="application/ld+json" nonce={nonce} dangerouslySetInnerHTML={{ __html: json }} />
}
