/** The parts of Edit profile in the order of its menu; the first one has the address without a part. */
export const editParts = [
	{ part: '', title: 'Personal Details' },
	{ part: 'academics', title: 'Academics' },
	{ part: 'social-links', title: 'Social Links' },
	{ part: 'certificates', title: 'Certificates' },
	{ part: 'projects', title: 'Projects' },
	{ part: 'change-password', title: 'Change Password' },
] as const

export type EditPart = (typeof editParts)[number]['part']

/** Where a member edits a part of their profile. */
export function editPath(username: string, part: EditPart = ''): string {
	return `/edit-profile/${username}${part && `/${part}`}`
}

/** The community's list of who has a skill. */
export function skillPath(name: string): string {
	return `/find-dev?${new URLSearchParams({ skill: name })}`
}

/** Where a member imports a résumé. */
export function importPath(username: string): string {
	return `/edit-profile/${username}/import`
}

/** The page of a member, for everybody. */
export function profilePath(username: string): string {
	return `/find-dev/${encodeURIComponent(username)}`
}
