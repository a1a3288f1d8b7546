import EMVCryptography
import Testing

@Suite("Number of vectors")
struct VectorCountTests {
  /// The number of vectors of each function, and the number that a payment HSM confirmed.
  static let counts: [String: (all: Int, confirmed: Int)] = [
    "kd.derive_icc_mk_a": (9, 4), "kd.derive_icc_mk_b": (7, 3), "kd.derive_common_sk": (13, 12),
    "kd.derive_visa_sm_sk": (4, 2), "kd.derive_emv2000_tree_sk": (7, 6), "ac.generate_ac": (11, 5),
    "ac.generate_arpc_1": (7, 3), "ac.generate_arpc_2": (6, 3), "cvv.generate_cvc3": (1, 1),
    "sm.format_vis_pin_block": (4, 2), "sm.format_iso9564_2_pin_block": (2, 1), "sm.encrypt_command_data": (10, 3),
    "sm.generate_command_mac": (16, 4), "mac.mac_iso9797_3": (34, 0),
  ]

  @Test func `every function of the vector files is tested`() {
    #expect(Set(PyEMVVectors.lists.keys) == Set(Self.counts.keys))
    #expect(PyEMVVectors.lists.values.map(\.count).reduce(0, +) == 131)
    #expect(PyEMVVectors.lists.values.joined().count { $0.grade == "hsm" } == 49)
  }

  @Test(arguments: counts.keys.sorted())
  func `every function has all of its vectors`(_ name: String) throws {
    let wanted = try #require(Self.counts[name])
    let found = PyEMVVectors.list(name)
    #expect(found.count == wanted.all)
    #expect(found.count { $0.grade == "hsm" } == wanted.confirmed)
  }

  @Test(arguments: PyEMVVectors.versions.keys.sorted())
  func `every cryptogram version has all of its results`(_ name: String) throws {
    let session = try #require(PyEMVVectors.sessions[name])
    let pinChanges = name.hasPrefix("Visa") ? 2 : 1
    #expect(
      session.results.mapValues(\.count) == [
        "generate_ac": 1, "generate_arpc": 1, "generate_command_mac": 1, "generate_pin_change_command": pinChanges,
      ])
    #expect(session.masterKeys.count == 3)
  }

  @Test func `35 results of 8 cryptogram versions with 26 session keys`() {
    #expect(Set(PyEMVVectors.sessions.keys) == Set(PyEMVVectors.versions.keys))
    let sessions = PyEMVVectors.sessions.values
    let results = sessions.flatMap(\.results.values)
    let resultCount = results.map(\.count).reduce(0, +)
    let keyCount = sessions.map(\.sessionKeys.count).reduce(0, +)
    #expect(resultCount == 35)
    #expect(keyCount == 26)
  }

  @Test func `the AES values and the CVC3 values are complete`() {
    #expect(AESVectors.all.count == 6)
    #expect(CVC3Vectors.all.count == 2)
  }
}
