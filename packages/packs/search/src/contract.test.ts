import { packContract } from "@toolpacks/testkit";
import { searchExamples, searchUnderTest } from "./pack.fixture.ts";

packContract(searchUnderTest, { examples: searchExamples });
