/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of \p{...} (ECMA-262, 22.2.1.9 and tables 67 to 70), by their
 * short and long names, which are compared exactly; PCRE2 itself would forgive
 * case, spaces and underscores. The names are those of Unicode's
 * PropertyAliases.txt and PropertyValueAliases.txt, version 16; what the PCRE2
 * at hand does not know yet it says itself when the pattern is compiled. */
#include "schema/pattern_inside.h"

/* A short name, which PCRE2 knows too, and a long one; a property with more
 * names has more rows. */
struct property_name {
    const char *brief, *full;
};

static const struct property_name property_categories[] = {
    {"C", "Other"},
    {"Cc", "Control"},
    {"Cc", "cntrl"},
    {"Cf", "Format"},
    {"Cn", "Unassigned"},
    {"Co", "Private_Use"},
    {"Cs", "Surrogate"},
    {"L", "Letter"},
    {"LC", "Cased_Letter"},
    {"Ll", "Lowercase_Letter"},
    {"Lm", "Modifier_Letter"},
    {"Lo", "Other_Letter"},
    {"Lt", "Titlecase_Letter"},
    {"Lu", "Uppercase_Letter"},
    {"M", "Mark"},
    {"M", "Combining_Mark"},
    {"Mc", "Spacing_Mark"},
    {"Me", "Enclosing_Mark"},
    {"Mn", "Nonspacing_Mark"},
    {"N", "Number"},
    {"Nd", "Decimal_Number"},
    {"Nd", "digit"},
    {"Nl", "Letter_Number"},
    {"No", "Other_Number"},
    {"P", "Punctuation"},
    {"P", "punct"},
    {"Pc", "Connector_Punctuation"},
    {"Pd", "Dash_Punctuation"},
    {"Pe", "Close_Punctuation"},
    {"Pf", "Final_Punctuation"},
    {"Pi", "Initial_Punctuation"},
    {"Po", "Other_Punctuation"},
    {"Ps", "Open_Punctuation"},
    {"S", "Symbol"},
    {"Sc", "Currency_Symbol"},
    {"Sk", "Modifier_Symbol"},
    {"Sm", "Math_Symbol"},
    {"So", "Other_Symbol"},
    {"Z", "Separator"},
    {"Zl", "Line_Separator"},
    {"Zp", "Paragraph_Separator"},
    {"Zs", "Space_Separator"},
};

static const struct property_name property_binaries[] = {
    {"ASCII", "ASCII"},
    {"AHex", "ASCII_Hex_Digit"},
    {"Alpha", "Alphabetic"},
    {"Any", "Any"},
    {"Assigned", "Assigned"},
    {"Bidi_C", "Bidi_Control"},
    {"Bidi_M", "Bidi_Mirrored"},
    {"CI", "Case_Ignorable"},
    {"Cased", "Cased"},
    {"CWCF", "Changes_When_Casefolded"},
    {"CWCM", "Changes_When_Casemapped"},
    {"CWKCF", "Changes_When_NFKC_Casefolded"},
    {"CWL", "Changes_When_Lowercased"},
    {"CWT", "Changes_When_Titlecased"},
    {"CWU", "Changes_When_Uppercased"},
    {"Dash", "Dash"},
    {"DI", "Default_Ignorable_Code_Point"},
    {"Dep", "Deprecated"},
    {"Dia", "Diacritic"},
    {"Emoji", "Emoji"},
    {"EComp", "Emoji_Component"},
    {"EMod", "Emoji_Modifier"},
    {"EBase", "Emoji_Modifier_Base"},
    {"EPres", "Emoji_Presentation"},
    {"ExtPict", "Extended_Pictographic"},
    {"Ext", "Extender"},
    {"Gr_Base", "Grapheme_Base"},
    {"Gr_Ext", "Grapheme_Extend"},
    {"Hex", "Hex_Digit"},
    {"IDC", "ID_Continue"},
    {"IDS", "ID_Start"},
    {"IDSB", "IDS_Binary_Operator"},
    {"IDST", "IDS_Trinary_Operator"},
    {"Ideo", "Ideographic"},
    {"Join_C", "Join_Control"},
    {"LOE", "Logical_Order_Exception"},
    {"Lower", "Lowercase"},
    {"Math", "Math"},
    {"NChar", "Noncharacter_Code_Point"},
    {"Pat_Syn", "Pattern_Syntax"},
    {"Pat_WS", "Pattern_White_Space"},
    {"QMark", "Quotation_Mark"},
    {"Radical", "Radical"},
    {"RI", "Regional_Indicator"},
    {"SD", "Soft_Dotted"},
    {"STerm", "Sentence_Terminal"},
    {"Term", "Terminal_Punctuation"},
    {"UIdeo", "Unified_Ideograph"},
    {"Upper", "Uppercase"},
    {"VS", "Variation_Selector"},
    {"XIDC", "XID_Continue"},
    {"XIDS", "XID_Start"},
    {"space", "White_Space"},
};

static const struct property_name property_scripts[] = {
    {"Adlm", "Adlam"},
    {"Aghb", "Caucasian_Albanian"},
    {"Ahom", "Ahom"},
    {"Arab", "Arabic"},
    {"Armi", "Imperial_Aramaic"},
    {"Armn", "Armenian"},
    {"Avst", "Avestan"},
    {"Bali", "Balinese"},
    {"Bamu", "Bamum"},
    {"Bass", "Bassa_Vah"},
    {"Batk", "Batak"},
    {"Beng", "Bengali"},
    {"Bhks", "Bhaiksuki"},
    {"Bopo", "Bopomofo"},
    {"Brah", "Brahmi"},
    {"Brai", "Braille"},
    {"Bugi", "Buginese"},
    {"Buhd", "Buhid"},
    {"Cakm", "Chakma"},
    {"Cans", "Canadian_Aboriginal"},
    {"Cari", "Carian"},
    {"Cham", "Cham"},
    {"Cher", "Cherokee"},
    {"Chrs", "Chorasmian"},
    {"Copt", "Coptic"},
    {"Copt", "Qaac"},
    {"Cpmn", "Cypro_Minoan"},
    {"Cprt", "Cypriot"},
    {"Cyrl", "Cyrillic"},
    {"Deva", "Devanagari"},
    {"Diak", "Dives_Akuru"},
    {"Dogr", "Dogra"},
    {"Dsrt", "Deseret"},
    {"Dupl", "Duployan"},
    {"Egyp", "Egyptian_Hieroglyphs"},
    {"Elba", "Elbasan"},
    {"Elym", "Elymaic"},
    {"Ethi", "Ethiopic"},
    {"Gara", "Garay"},
    {"Geor", "Georgian"},
    {"Glag", "Glagolitic"},
    {"Gong", "Gunjala_Gondi"},
    {"Gonm", "Masaram_Gondi"},
    {"Goth", "Gothic"},
    {"Gran", "Grantha"},
    {"Grek", "Greek"},
    {"Gujr", "Gujarati"},
    {"Gukh", "Gurung_Khema"},
    {"Guru", "Gurmukhi"},
    {"Hang", "Hangul"},
    {"Hani", "Han"},
    {"Hano", "Hanunoo"},
    {"Hatr", "Hatran"},
    {"Hebr", "Hebrew"},
    {"Hira", "Hiragana"},
    {"Hluw", "Anatolian_Hieroglyphs"},
    {"Hmng", "Pahawh_Hmong"},
    {"Hmnp", "Nyiakeng_Puachue_Hmong"},
    {"Hrkt", "Katakana_Or_Hiragana"},
    {"Hung", "Old_Hungarian"},
    {"Ital", "Old_Italic"},
    {"Java", "Javanese"},
    {"Kali", "Kayah_Li"},
    {"Kana", "Katakana"},
    {"Kawi", "Kawi"},
    {"Khar", "Kharoshthi"},
    {"Khmr", "Khmer"},
    {"Khoj", "Khojki"},
    {"Kits", "Khitan_Small_Script"},
    {"Knda", "Kannada"},
    {"Krai", "Kirat_Rai"},
    {"Kthi", "Kaithi"},
    {"Lana", "Tai_Tham"},
    {"Laoo", "Lao"},
    {"Latn", "Latin"},
    {"Lepc", "Lepcha"},
    {"Limb", "Limbu"},
    {"Lina", "Linear_A"},
    {"Linb", "Linear_B"},
    {"Lisu", "Lisu"},
    {"Lyci", "Lycian"},
    {"Lydi", "Lydian"},
    {"Mahj", "Mahajani"},
    {"Maka", "Makasar"},
    {"Mand", "Mandaic"},
    {"Mani", "Manichaean"},
    {"Marc", "Marchen"},
    {"Medf", "Medefaidrin"},
    {"Mend", "Mende_Kikakui"},
    {"Merc", "Meroitic_Cursive"},
    {"Mero", "Meroitic_Hieroglyphs"},
    {"Mlym", "Malayalam"},
    {"Modi", "Modi"},
    {"Mong", "Mongolian"},
    {"Mroo", "Mro"},
    {"Mtei", "Meetei_Mayek"},
    {"Mult", "Multani"},
    {"Mymr", "Myanmar"},
    {"Nagm", "Nag_Mundari"},
    {"Nand", "Nandinagari"},
    {"Narb", "Old_North_Arabian"},
    {"Nbat", "Nabataean"},
    {"Newa", "Newa"},
    {"Nkoo", "Nko"},
    {"Nshu", "Nushu"},
    {"Ogam", "Ogham"},
    {"Olck", "Ol_Chiki"},
    {"Onao", "Ol_Onal"},
    {"Orkh", "Old_Turkic"},
    {"Orya", "Oriya"},
    {"Osge", "Osage"},
    {"Osma", "Osmanya"},
    {"Ougr", "Old_Uyghur"},
    {"Palm", "Palmyrene"},
    {"Pauc", "Pau_Cin_Hau"},
    {"Perm", "Old_Permic"},
    {"Phag", "Phags_Pa"},
    {"Phli", "Inscriptional_Pahlavi"},
    {"Phlp", "Psalter_Pahlavi"},
    {"Phnx", "Phoenician"},
    {"Plrd", "Miao"},
    {"Prti", "Inscriptional_Parthian"},
    {"Rjng", "Rejang"},
    {"Rohg", "Hanifi_Rohingya"},
    {"Runr", "Runic"},
    {"Samr", "Samaritan"},
    {"Sarb", "Old_South_Arabian"},
    {"Saur", "Saurashtra"},
    {"Sgnw", "SignWriting"},
    {"Shaw", "Shavian"},
    {"Shrd", "Sharada"},
    {"Sidd", "Siddham"},
    {"Sind", "Khudawadi"},
    {"Sinh", "Sinhala"},
    {"Sogd", "Sogdian"},
    {"Sogo", "Old_Sogdian"},
    {"Sora", "Sora_Sompeng"},
    {"Soyo", "Soyombo"},
    {"Sund", "Sundanese"},
    {"Sunu", "Sunuwar"},
    {"Sylo", "Syloti_Nagri"},
    {"Syrc", "Syriac"},
    {"Tagb", "Tagbanwa"},
    {"Takr", "Takri"},
    {"Tale", "Tai_Le"},
    {"Talu", "New_Tai_Lue"},
    {"Taml", "Tamil"},
    {"Tang", "Tangut"},
    {"Tavt", "Tai_Viet"},
    {"Telu", "Telugu"},
    {"Tfng", "Tifinagh"},
    {"Tglg", "Tagalog"},
    {"Thaa", "Thaana"},
    {"Thai", "Thai"},
    {"Tibt", "Tibetan"},
    {"Tirh", "Tirhuta"},
    {"Tnsa", "Tangsa"},
    {"Todr", "Todhri"},
    {"Toto", "Toto"},
    {"Tutg", "Tulu_Tigalari"},
    {"Ugar", "Ugaritic"},
    {"Vaii", "Vai"},
    {"Vith", "Vithkuqi"},
    {"Wara", "Warang_Citi"},
    {"Wcho", "Wancho"},
    {"Xpeo", "Old_Persian"},
    {"Xsux", "Cuneiform"},
    {"Yezi", "Yezidi"},
    {"Yiii", "Yi"},
    {"Zanb", "Zanabazar_Square"},
    {"Zinh", "Inherited"},
    {"Zinh", "Qaai"},
    {"Zyyy", "Common"},
    {"Zzzz", "Unknown"},
};

/* The short name of the row that is called so; NULL: there is none. */
static const char *property_find(const struct property_name *names,
                                 size_t count, surety_str name)
{
    for (size_t i = 0; i < count; i++)
        if (surety_str_equal(name, surety_str_of(names[i].brief)) ||
            surety_str_equal(name, surety_str_of(names[i].full)))
            return names[i].brief;
    return NULL;
}

#define PROPERTY_FIND(names, name)                                             \
    property_find(names, sizeof(names) / sizeof(*names), name)

static bool property_is(surety_str name, const char *brief, const char *full)
{
    return surety_str_equal(name, surety_str_of(brief)) ||
           surety_str_equal(name, surety_str_of(full));
}

bool surety__pattern_property(surety_str name, surety_str value, bool has_value,
                              surety_buf *out)
{
    const char *prefix = "";
    const char *found;

    if (!has_value) {
        found = PROPERTY_FIND(property_categories, name);
        if (!found)
            found = PROPERTY_FIND(property_binaries, name);
        /* The one that PCRE2 has no name for but can say. */
        if (found && !strcmp(found, "Assigned"))
            found = "^Cn";
    } else if (property_is(name, "gc", "General_Category")) {
        found = PROPERTY_FIND(property_categories, value);
    } else if (property_is(name, "sc", "Script")) {
        prefix = "sc:";
        found = PROPERTY_FIND(property_scripts, value);
    } else if (property_is(name, "scx", "Script_Extensions")) {
        prefix = "scx:";
        found = PROPERTY_FIND(property_scripts, value);
    } else {
        found = NULL;
    }
    if (found && out) {
        surety_buf_text(out, prefix);
        surety_buf_text(out, !strcmp(found, "LC") ? "L&" : found);
    }
    return found != NULL;
}
