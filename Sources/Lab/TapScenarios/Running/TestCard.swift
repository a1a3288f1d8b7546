internal import CardFaults
internal import Documents
public import EMVCard
internal import ISO7816
internal import JSON
internal import Octets

/// The card of a scenario that judges a terminal, compiled with its changes.
public struct TestCard: Sendable {
  /// The profile with its changes, as JSON.
  public let profile: [UInt8]
  /// The card.
  public let image: CardImage
  /// The AIDs of the profile before its changes.
  let names: [[UInt8]]

  /// The AIDs that the changes have left; those of the profile when the changes have left none, since such a scenario is
  /// about an application that no terminal has.
  var ownNames: [[UInt8]] {
    let left = image.applications.map(\.aid.octets).filter(names.contains)
    return left.isEmpty ? names : left
  }

  /// The keys of certification authorities that a terminal needs to check the certificates of the card.
  var authorityKeys: [TestedCapabilities.AuthorityKey] {
    let applications = (try? JSONValue(parsing: profile))?["applications"]?.list ?? []
    return applications.filter { $0["certificationAuthority"] != nil }.compactMap { application in
      let objects = (application["records"]?.list ?? []).flatMap { $0["data"]?.list ?? [] }
        .compactMap { $0.text.flatMap { try? [UInt8](hex: $0) } }
      guard let aid = application["aid"]?.text.flatMap({ try? [UInt8](hex: $0) }),
        let index = objects.first(where: { $0.count == 2 && $0.first == 0x8F })?.last
      else { return nil }
      return TestedCapabilities.AuthorityKey(provider: Array(aid.prefix(5)), index: index)
    }
  }
}

extension ScenarioFile {
  /// Reads the card profile, changes it and compiles it. Every problem is one of the scenario.
  static func testCard(
    _ test: TerminalTest, beside path: String, _ reader: inout ObjectReader
  ) -> TestCard? {
    guard !test.card.file.isEmpty else { return nil }
    let profile: JSONValue
    do {
      profile = try JSONValue(parsing: content(of: place(of: test.card.file, beside: path)))
    } catch {
      reader.note("card.file", "\(error)")
      return nil
    }
    let changed = changed(profile, test.card.changes, &reader)
    do throws(CardProfileError) {
      let json = Array(changed.compact.utf8)
      let names = profile["applications"]?.list?.compactMap { $0["aid"]?.text.flatMap { try? [UInt8](hex: $0) } }
      return TestCard(profile: json, image: try CardFaultPlan.checkedImage(json: json), names: names ?? [])
    } catch {
      for problem in error.problems {
        // The change whose path is that of a problem or leads to it.
        let change = test.card.changes.first { problem.path.hasPrefix($0.path) || $0.path.hasPrefix(problem.path) }
        reader.note(change.map { "card.changes.\($0.path)" } ?? "card.file", "\(problem)")
      }
      return nil
    }
  }

  /// Checks that the card that a scenario with steps names can be read. Every problem is one of the scenario.
  static func checkCard(of scenario: TapScenario, beside path: String, _ reader: inout ObjectReader) {
    guard let name = scenario.card.file else { return }
    do throws(ScenarioFileError) {
      _ = try content(of: place(of: name, beside: path))
    } catch { reader.note("card.file", "\(error)") }
  }

  private static func changed(
    _ profile: JSONValue, _ changes: [TerminalTest.Change], _ reader: inout ObjectReader
  ) -> JSONValue {
    changes.reduce(profile) { profile, change in
      let next = profile.setting(change.path, to: change.value)
      if next == profile {
        reader.note(
          "card.changes.\(change.path)", "the change changes nothing: is the path right, and the value another one?")
      }
      return next
    }
  }
}
