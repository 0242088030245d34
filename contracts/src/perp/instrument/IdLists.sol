// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An unordered list of 48-bit ids, five to a word; the first word also counts them, so that up to five ids cost a
/// single word. Removal moves the last id into the hole. Source: perp-protocol 2.6.
struct IdList {
    mapping(uint256 word => uint256) words;
}

library IdLists {
    uint256 private constant PER_WORD = 5;
    uint256 private constant ID_BITS = 48;
    uint256 private constant COUNT_BITS = 16;
    uint256 private constant ID_MASK = type(uint48).max;
    uint256 private constant COUNT_MASK = type(uint16).max;

    function length(IdList storage list) internal view returns (uint256) {
        return list.words[0] & COUNT_MASK;
    }

    /// Returns how many there are with `id`.
    function push(IdList storage list, uint48 id) internal returns (uint256) {
        uint256 head = list.words[0];
        uint256 count = head & COUNT_MASK;
        // A place beyond the last id is empty, and the count sits in the lowest bits.
        if (count < PER_WORD) head |= uint256(id) << _shift(count);
        else _put(list, count, id);
        list.words[0] = head + 1;
        return count + 1;
    }

    /// Removes `id`, which must be in the list.
    function remove(IdList storage list, uint48 id) internal {
        uint256 last = length(list) - 1;
        uint256 i;
        while (_at(list, i) != id) ++i;
        if (i != last) _put(list, i, _at(list, last));
        _put(list, last, 0);
        list.words[0] = (list.words[0] & ~COUNT_MASK) | last;
    }

    function all(IdList storage list) internal view returns (uint48[] memory ids) {
        ids = new uint48[](length(list));
        for (uint256 i; i < ids.length; ++i) {
            ids[i] = _at(list, i);
        }
    }

    function _at(IdList storage list, uint256 i) private view returns (uint48) {
        return uint48(list.words[i / PER_WORD] >> _shift(i));
    }

    function _put(IdList storage list, uint256 i, uint48 id) private {
        uint256 shift = _shift(i);
        uint256 word = list.words[i / PER_WORD];
        list.words[i / PER_WORD] = (word & ~(ID_MASK << shift)) | (uint256(id) << shift);
    }

    function _shift(uint256 i) private pure returns (uint256) {
        return COUNT_BITS + ID_BITS * (i % PER_WORD);
    }
}
