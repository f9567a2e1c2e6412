import { isModerator, type Viewer } from '~/lib/viewer.ts'

/** Whether this viewer describes tags and joins those that mean the same. */
export function mayKeepTags(viewer: Viewer): boolean {
	return isModerator(viewer)
}
