public import Octets

/// The tree of session keys of EMV2000 (EMV 4.1 Book 2, A1.3), which later books replaced by the common derivation.
public enum SessionKeyTree: Sendable, CaseIterable {
  /// Two branches at each of 16 levels.
  case twoBranches
  /// Four branches at each of 8 levels.
  case fourBranches

  /// The number of bits of the counter that select a branch.
  private var bitsPerLevel: Int {
    switch self {
    case .twoBranches: 1
    case .fourBranches: 2
    }
  }

  /// The number of levels below the master key.
  public var height: Int { 16 / bitsPerLevel }

  /// Derives the session key of one transaction.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key, 16 bytes; any other length traps.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - initialVector: The node above the master key, 16 bytes; the book's default is zeros.
  public func deriveSessionKey(
    from masterKey: borrowing Secret, atc: UInt16, initialVector: UInt128 = 0
  ) -> Secret {
    var grandparent = Secret(count: TripleDESKeys.keyCount) { $0.put(initialVector, at: 0) }
    var parent = masterKey.duplicate()
    for level in 1..<height {
      let child = child(of: parent, grandparent, branch: branch(atc, at: level))
      grandparent = parent
      parent = child
    }
    let last = child(of: parent, grandparent, branch: branch(atc, at: height))
    return exclusiveOr(last, grandparent)
  }

  private func branch(_ atc: UInt16, at level: Int) -> UInt64 {
    UInt64(atc >> ((height - level) * bitsPerLevel)) & (1 << bitsPerLevel - 1)
  }

  private func child(of parent: borrowing Secret, _ grandparent: borrowing Secret, branch: UInt64) -> Secret {
    let keys = TripleDESKeys(parent)
    // Parity is set only at the end, because keys inside the tree are also data.
    return grandparent.withExposedOctets { octets in
      Secret(count: TripleDESKeys.keyCount) { key in
        key.put(keys.encipher(octets.block64() ^ branch), at: 0)
        key.put(keys.encipher(octets.block64(at: 8) ^ branch ^ 0xF0), at: 8)
      }
    }
  }
}

private func exclusiveOr(_ first: borrowing Secret, _ second: borrowing Secret) -> Secret {
  first.withExposedOctets { first in
    second.withExposedOctets { second in
      doubleLengthKey(first.block64() ^ second.block64(), first.block64(at: 8) ^ second.block64(at: 8))
    }
  }
}
