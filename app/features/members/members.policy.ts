import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'

interface Owned {
	username: string
	show_email: boolean
	show_phone: boolean
}

/** Whether this profile is the viewer's own. */
export function isOwnProfile(viewer: Viewer, profile: { username: string }): boolean {
	return viewer?.username === profile.username
}

/** Whether the viewer may read this member's e-mail address. */
export function maySeeEmail(viewer: Viewer, profile: Owned): boolean {
	return isOwnProfile(viewer, profile) || isModerator(viewer) || (viewer !== null && profile.show_email)
}

/** Whether the viewer may read this member's phone number. */
export function maySeePhone(viewer: Viewer, profile: Owned): boolean {
	return isOwnProfile(viewer, profile) || isModerator(viewer) || (viewer !== null && profile.show_phone)
}

/** Whether the viewer may read parts of this profile that a moderator hid: its owner and moderators may. */
export function maySeeHidden(viewer: Viewer, profile: { username: string }): boolean {
	return isOwnProfile(viewer, profile) || isModerator(viewer)
}

/** Whether the viewer may edit this profile, its items and pictures: only its owner may. */
export function mayEditProfile(viewer: Viewer, profile: { username: string }): viewer is SignedIn {
	return isOwnProfile(viewer, profile)
}
