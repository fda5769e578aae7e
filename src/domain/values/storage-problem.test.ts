import { expect, it } from 'vitest';
import { fileOfErrno, storageMessage, isStorageReason, reasonOfErrno } from './storage-problem.ts';

it.each([
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['EROFS', 'home_read_only'],
  ['EACCES', 'no_permission'],
  ['EPERM', 'no_permission'],
  ['EMFILE', 'too_many_files'],
  ['ENFILE', 'too_many_files'],
  ['EIO', 'disk_error'],
  ['ENOENT', undefined],
  ['toString', undefined],
])('%s is %s', (code, reason) => {
  expect(reasonOfErrno(Object.assign(new Error('refused'), { code }))).toBe(reason);
});

it('only errors of the system have a reason and a file', () => {
  expect(reasonOfErrno({ code: 'EIO' })).toBeUndefined();
  expect(reasonOfErrno(new Error('no code'))).toBeUndefined();
  expect(fileOfErrno(Object.assign(new Error('x'), { path: '/file' }))).toBe('/file');
  expect(fileOfErrno(Object.assign(new Error('x'), { path: 7 }))).toBeUndefined();
  expect(fileOfErrno({ path: '/file' })).toBeUndefined();
  expect(fileOfErrno(new Error('x'))).toBeUndefined();
});

it('a message names the file where it is known, and says what to do', () => {
  expect(storageMessage('disk_full', undefined)).toBe(
    'The disk is full. Free some space there, then try again.',
  );
  expect(storageMessage('disk_full', '/a file')).toBe(
    'The disk is full: "/a file". Free some space there, then try again.',
  );
});

it('a reason of the table is one, and nothing that every object has', () => {
  expect(isStorageReason('disk_full')).toBe(true);
  expect(isStorageReason('toString')).toBe(false);
  expect(isStorageReason(7)).toBe(false);
});
